//! A worker in Rust, written from docs/reference/worker_protocol.md with nothing but the standard library: a sum, a gemm, and
//! kernels that misbehave by name. The standard library maps no memory and takes no descriptor, so C's functions do.

use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::net::UnixStream;
use std::{env, process, ptr, thread, time::Duration};

const VERSION: u8 = 1;
const READY: u8 = 1;
const FAILED: u8 = 2;
const LAUNCHED: u8 = 4;
const KERNELS: u8 = 5;
const MEMORY: u8 = 6;
const IMAGE_AT: usize = 4096;
const BAD: [&str; 18] = [
    "kill9", "abort", "exit3", "hang", "garbage", "version", "oversized", "too_many", "too_few", "raises", "prints",
    "start_slow", "start_late", "start_exit3", "start_version", "start_garbage", "start_failed", "silent",
];

#[repr(C)]
struct Piece { start: *mut u8, size: usize }
#[repr(C)]
struct Message {
    name: *mut u8, name_size: u32, pieces: *mut Piece, piece_count: usize, control: *mut u8, control_size: usize, flags: i32,
}
extern "C" {
    fn recvmsg(socket: i32, message: *mut Message, flags: i32) -> isize;
    fn mmap(at: *mut u8, size: usize, rights: i32, kind: i32, file: i32, offset: i64) -> *mut u8;
    fn munmap(at: *mut u8, size: usize) -> i32;
    fn close(file: i32) -> i32;
    fn kill(process: i32, signal: i32) -> i32;
}

/// Numbers and texts of a frame, in order.
struct Reader<'a> { data: &'a [u8] }
impl<'a> Reader<'a> {
    fn take(&mut self, size: usize) -> &'a [u8] {
        let (first, rest) = self.data.split_at(size);
        self.data = rest;
        first
    }
    fn u8(&mut self) -> u8 { self.take(1)[0] }
    fn u32(&mut self) -> u32 { u32::from_le_bytes(self.take(4).try_into().unwrap()) }
    fn u64(&mut self) -> u64 { u64::from_le_bytes(self.take(8).try_into().unwrap()) }
    fn i64(&mut self) -> i64 { self.u64() as i64 }
    fn bytes(&mut self) -> &'a [u8] { let size = self.u32() as usize; self.take(size) }
    fn text(&mut self) -> &'a str { std::str::from_utf8(self.bytes()).unwrap() }
}

fn text(body: &mut Vec<u8>, value: &[u8]) {
    body.extend((value.len() as u32).to_le_bytes());
    body.extend(value);
}

fn outcome(answer: &mut Vec<u8>, status: &str, fault: &str, message: &str) {
    let mut bytes = Vec::new();
    for word in [status, fault, message] { text(&mut bytes, word.as_bytes()) }
    text(answer, &bytes);
}

fn send_as(socket: &mut UnixStream, version: u8, kind: u8, size: usize, body: &[u8]) {
    let mut frame = vec![b'n', b'z', version, kind];
    frame.extend((size as u32).to_le_bytes());
    frame.extend(body);
    let _ = socket.write_all(&frame);
}
fn send(socket: &mut UnixStream, kind: u8, body: &[u8]) { send_as(socket, VERSION, kind, body.len(), body) }

/// The header of the next frame, and the descriptor that came with it, or -1. The end of the stream ends the process.
fn receive_header(socket: &mut UnixStream) -> ([u8; 8], i32) {
    let mut header = [0u8; 8];
    let mut control = [0u64; 3]; // A cmsghdr (a size_t and two ints), then one int.
    let mut piece = Piece { start: header.as_mut_ptr(), size: header.len() };
    let mut message = Message {
        name: ptr::null_mut(), name_size: 0, pieces: &mut piece, piece_count: 1,
        control: control.as_mut_ptr() as *mut u8, control_size: 24, flags: 0,
    };
    let got = unsafe { recvmsg(socket.as_raw_fd(), &mut message, 0) };
    if got <= 0 { process::exit(0) }
    if (got as usize) < header.len() && socket.read_exact(&mut header[got as usize..]).is_err() { process::exit(0) }
    (header, if message.control_size >= 20 { control[2] as i32 } else { -1 })
}

struct Buffer { strides: Vec<i64>, first: *mut f32 }
impl Buffer {
    fn at(&self, index: &[i64]) -> *mut f32 {
        let steps: i64 = index.iter().zip(&self.strides).map(|(i, stride)| i * stride).sum();
        unsafe { self.first.offset(steps as isize) }
    }
    fn get(&self, index: &[i64]) -> f64 { unsafe { *self.at(index) as f64 } }
    fn put(&self, index: &[i64], value: f64) { unsafe { *self.at(index) = value as f32 } }
}

struct Plan<'a> {
    operation: &'a str, extents: Vec<(&'a str, i64)>, scalars: Vec<(&'a str, u64)>, buffers: Vec<(&'a str, Buffer)>,
}
fn named<'p, T>(list: &'p [(&str, T)], name: &str) -> &'p T { &list.iter().find(|each| each.0 == name).unwrap().1 }

/// What follows the buffers is for workers that ship with negzero.
fn read_plan(data: &[u8], memory: *mut u8) -> Plan<'_> {
    let mut from = Reader { data };
    let operation = from.text();
    let extents = (0..from.u8()).map(|_| (from.text(), from.i64())).collect();
    for _ in 0..from.u8() { (from.text(), from.text()); }
    let scalars = (0..from.u8()).map(|_| { let name = from.text(); from.text(); (name, from.u64()) }).collect();
    let buffers = (0..from.u8()).map(|_| {
        let (name, _format, rank) = (from.text(), from.text(), from.u8());
        let _shape: Vec<i64> = (0..rank).map(|_| from.i64()).collect();
        let strides = (0..rank).map(|_| from.i64()).collect();
        let (offset, _use, at) = (from.i64(), from.text(), from.u64());
        let first = unsafe { (memory.add(IMAGE_AT + at as usize) as *mut f32).offset(offset as isize) };
        (name, Buffer { strides, first })
    }).collect();
    Plan { operation, extents, scalars, buffers }
}

fn run(name: &str, plan: &Plan) -> Result<(), &'static str> {
    let extent = |name: &str| *named(&plan.extents, name);
    let buffer = |name: &str| named(&plan.buffers, name);
    if name.ends_with("raises") { return Err("no table for this shape") }
    if name.ends_with("silent") && extent("rows") == 1 { process::abort() }
    if plan.operation == "reduce.sum" {
        for i in 0..extent("rows") {
            buffer("y").put(&[i], (0..extent("columns")).fold(0.0, |sum, j| sum + buffer("x").get(&[i, j])));
        }
        return Ok(());
    }
    let scalar = |name: &str| f32::from_bits(*named(&plan.scalars, name) as u32) as f64;
    let (alpha, beta, k) = (scalar("alpha"), scalar("beta"), extent("k"));
    for b in 0..extent("batch") { for i in 0..extent("m") { for j in 0..extent("n") {
        let mut value = if beta != 0.0 { beta * buffer("c").get(&[b, i, j]) } else { 0.0 };
        if alpha != 0.0 && k > 0 {
            value += alpha * (0..k).fold(0.0, |sum, p| sum + buffer("a").get(&[b, i, p]) * buffer("b").get(&[b, p, j]));
        }
        buffer("d").put(&[b, i, j], value);
    } } }
    Ok(())
}

fn misbehave(socket: &mut UnixStream, deed: &str, plans: u32) {
    match deed {
        "kill9" => { unsafe { kill(process::id() as i32, 9) }; process::exit(9) }
        "abort" => process::abort(),
        "exit3" | "start_exit3" => process::exit(3),
        "hang" | "start_slow" => thread::sleep(Duration::from_secs(3600)),
        "start_late" => thread::sleep(Duration::from_millis(300)),
        "garbage" | "start_garbage" => socket.write_all(b"this is no frame").unwrap(),
        "version" | "start_version" => send_as(socket, 9, READY, 0, b""),
        "oversized" => send_as(socket, VERSION, LAUNCHED, 0x7fffffff, b""),
        "too_many" | "too_few" => {
            let count = if deed == "too_many" { plans + 1 } else { 0 };
            let mut body = count.to_le_bytes().to_vec();
            for _ in 0..count { outcome(&mut body, "done", "", "") }
            send(socket, LAUNCHED, &body);
        }
        "prints" => println!("{}", "a long line ".repeat(100000)),
        "start_failed" => { send(socket, FAILED, b"the table of this kernel is missing"); process::exit(1) }
        _ => {}
    }
}

fn describe(socket: &mut UnixStream, deed: &str) {
    let mut kernels = Vec::new();
    let mut add = |name: &str, operation: &str, slots: &[&str]| {
        let formats: Vec<String> = slots.iter().map(|slot| format!("\"{slot}\": \"F32\"")).collect();
        let key = if deed == "field" { "formtas" } else { "formats" };
        kernels.push(format!(
            "{{\"name\": \"rs.{name}\", \"operation\": \"{operation}\", \"contract\": \"f32\", \"shows\": \"values\", \
             \"{key}\": [{{{}}}]}}", formats.join(", ")));
    };
    add("sum", "reduce.sum", &["x", "y"]);
    add("gemm", "gemm", &["a", "b", "d"]);
    add("total", "reduce.sum", &["x", "y"]);
    for bad in BAD { add(&format!("bad.{bad}"), "reduce.sum", &["x", "y"]) }
    let version = if deed == "declared" { 9 } else { VERSION };
    let text = format!("{{\"version\": {version}, \"kernels\": [{}]}}", kernels.join(", "));
    send(socket, KERNELS, if deed == "json" { b"[not JSON" } else { text.as_bytes() });
}

fn serve(socket: &mut UnixStream, name: &str) {
    let deed = name.split_once("bad.").map_or("", |parts| parts.1);
    if deed.starts_with("start_") { misbehave(socket, deed, 0) }
    send(socket, READY, b"");
    let (mut memory, mut size) = (ptr::null_mut::<u8>(), 0usize);
    loop {
        let (header, descriptor) = receive_header(socket);
        let mut body = vec![0u8; u32::from_le_bytes(header[4..].try_into().unwrap()) as usize];
        if socket.read_exact(&mut body).is_err() { process::exit(0) }
        let mut request = Reader { data: &body };
        if header[3] == MEMORY {
            if size > 0 { unsafe { munmap(memory, size) }; }
            size = request.u64() as usize;
            memory = unsafe { mmap(ptr::null_mut(), size, 3, 1, descriptor, 0) }; // Read and write, shared.
            unsafe { close(descriptor) };
            continue;
        }
        let plans = request.u32();
        misbehave(socket, deed, plans);
        let mut answer = plans.to_le_bytes().to_vec();
        let progress = memory as *mut u64;
        for i in 0..plans {
            if deed != "silent" { unsafe { progress.add(1).write_volatile(i as u64); progress.add(2).write_volatile(3) } }
            match run(name, &read_plan(request.bytes(), memory)) {
                Ok(()) => outcome(&mut answer, "done", "", ""),
                Err(why) => outcome(&mut answer, "failed", "raised", why),
            }
        }
        unsafe { progress.add(2).write_volatile(0) }
        send(socket, LAUNCHED, &answer);
    }
}

fn main() {
    let words: Vec<String> = env::args().collect();
    let mut socket = unsafe { UnixStream::from_raw_fd(3) };
    let deed = words[0].rsplit('/').next().unwrap().split_once('-').map_or("", |parts| parts.1);
    misbehave(&mut socket, deed, 0); // A link named worker-exit3 misbehaves where it describes.
    if words[2] == "describe" { describe(&mut socket, deed) } else { serve(&mut socket, &words[2]) }
}
