#!/usr/bin/env python3
"""A worker in plain Python, written from docs/reference/worker_protocol.md: a sum, a gemm, and kernels that misbehave by name."""
import json, mmap, os, socket, struct, sys, time
VERSION, READY, FAILED, LAUNCH, LAUNCHED, KERNELS, MEMORY = 1, 1, 2, 3, 4, 5, 6
BAD = """kill9 abort exit3 hang garbage version oversized too_many too_few raises prints start_slow start_late start_exit3
start_version start_garbage start_failed""".split()
class Reader:
    def __init__(self, data): self.data, self.at = data, 0
    def take(self, size):
        self.at += size
        return self.data[self.at - size:self.at]
    def number(self, kind): return struct.unpack("<" + kind, self.take(struct.calcsize("<" + kind)))[0]
    def bytes(self): return self.take(self.number("I"))
    def text(self): return self.bytes().decode()
def text(value): return struct.pack("<I", len(value)) + value
def outcome(status, fault=b"", message=""): return text(text(status) + text(fault) + text(message.encode()[:4096]))
def send(kind, body, version=VERSION, size=None):
    server.sendall(b"nz" + bytes([version, kind]) + struct.pack("<I", len(body) if size is None else size) + body)

def receive(size):  # Exactly so many bytes, and the descriptors that came with them. The end of the stream ends it.
    data, descriptors = b"", []
    while len(data) < size:
        part, came, _, _ = socket.recv_fds(server, size - len(data), 1)
        if not part: sys.exit(0)
        data, descriptors = data + part, descriptors + came
    return data, descriptors

def read_plan(data):
    plan = Reader(data)
    plan.operation = plan.text()
    plan.extents = {plan.text(): plan.number("q") for _ in range(plan.number("B"))}
    plan.formats = {plan.text(): plan.text() for _ in range(plan.number("B"))}
    plan.scalars = {plan.text(): (plan.text(), plan.number("Q")) for _ in range(plan.number("B"))}
    plan.buffers = {}
    for _ in range(plan.number("B")):
        name, format, rank = plan.text(), plan.text(), plan.number("B")
        numbers = [plan.number("q") for _ in range(2 * rank + 1)]  # Shape, strides, offset.
        use, at = plan.text(), plan.number("Q")
        plan.buffers[name] = (numbers[rank:-1], (4096 + at) // 4 + numbers[-1])
    plan.text(), plan.text(), plan.take(1 + 8 + 8 + 1 + 8)  # Poison, order of threads and more: not for us.
    plan.options = {plan.text(): plan.number("q") for _ in range(plan.number("B"))}
    return plan  # What follows is for workers that ship with negzero.

def run(name, plan, floats):
    def place(buffer, *index): return plan.buffers[buffer][1] + sum(i * s for i, s in zip(index, plan.buffers[buffer][0]))
    def get(buffer, *index): return floats[place(buffer, *index)]
    def put(value, buffer, *index):
        try: floats[place(buffer, *index)] = value
        except OverflowError: floats[place(buffer, *index)] = float("inf") if value > 0 else float("-inf")
    if name.endswith("raises"): raise ValueError("no table for this shape")
    if name.endswith("total") and plan.options not in ({"algorithm": a, "workspace": w} for a in (0, 1) for w in (64, 0)):
        raise ValueError(f"options {plan.options}")
    columns = range(plan.extents.get("columns", 0))[::-1 if plan.options.get("algorithm") == 1 else 1]
    for i in range(plan.extents.get("rows", 0)): put(sum((get("x", i, j) for j in columns), 0.0), "y", i)
    if plan.operation == "reduce.sum": return
    alpha, beta = (struct.unpack("<f", struct.pack("<Q", plan.scalars[s][1])[:4])[0] for s in ("alpha", "beta"))
    batch, m, n, k = (plan.extents[e] for e in ("batch", "m", "n", "k"))
    for b, i, j in ((b, i, j) for b in range(batch) for i in range(m) for j in range(n)):
        value = beta * get("c", b, i, j) if beta != 0 else 0.0
        if alpha != 0 and k > 0: value += alpha * sum((get("a", b, i, p) * get("b", b, p, j) for p in range(k)), 0.0)
        put(value, "d", b, i, j)

def misbehave(deed, plans):
    if deed == "kill9": os.kill(os.getpid(), 9)
    if deed == "abort": os.abort()
    if deed in ("exit3", "start_exit3"): os._exit(3)
    if deed in ("hang", "start_slow", "start_late"): time.sleep(0.3 if deed == "start_late" else 3600)
    if deed in ("garbage", "start_garbage"): server.sendall(b"this is no frame")
    if deed in ("version", "start_version"): send(READY, b"", version=9)
    if deed == "oversized": send(LAUNCHED, b"", size=0x7fffffff)
    if deed in ("too_many", "too_few"): answer([outcome(b"done")] * (plans + 1 if deed == "too_many" else 0))
    if deed == "prints": print("a long line " * 100000, flush=True)
    if deed == "start_failed": sys.exit(send(FAILED, b"the table of this kernel is missing"))
def answer(outcomes): send(LAUNCHED, struct.pack("<I", len(outcomes)) + b"".join(outcomes))

def describe(deed):
    names = {"sum": "reduce.sum", "gemm": "gemm", "total": "reduce.sum"} | {"bad." + bad: "reduce.sum" for bad in BAD}
    kernels = [{"name": "py." + name, "operation": operation, "contract": "f32", "shows": "values",
                "formats": [dict.fromkeys("abd" if operation == "gemm" else "xy", "F32")]} for name, operation in names.items()]
    kernels[2]["limits"] = {"configuration": {"workspace": [64, 0], "algorithm": [0, 1]}}
    if deed == "field": kernels[0]["formtas"] = kernels[0].pop("formats")
    said = json.dumps({"version": 9 if deed == "declared" else VERSION, "kernels": kernels}).encode()
    send(KERNELS, b"[not JSON" if deed == "json" else said)

def serve(name):
    deed = name.partition("bad.")[2]
    if deed.startswith("start_"): misbehave(deed, 0)
    send(READY, b"")
    while True:
        header, descriptors = receive(8)
        body, more = receive(struct.unpack("<I", header[4:])[0])
        if header[3] == MEMORY:
            file, = descriptors + more
            memory = (mmap.mmap(file, struct.unpack_from("<Q", body)[0]), os.close(file))[0]
            continue
        request, outcomes = Reader(body), []
        misbehave(deed, plans := request.number("I"))
        for i in range(plans):
            struct.pack_into("<QQ", memory, 8, i, 3)  # Where it is: plan i, in its function.
            try: outcomes.append((run(name, read_plan(request.bytes()), memoryview(memory).cast("f")), outcome(b"done"))[1])
            except Exception as error: outcomes.append(outcome(b"failed", b"raised", repr(error)))
        answer(outcomes)

server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, 3)
deed = os.path.basename(sys.argv[0]).partition("-")[2]  # A link named worker-exit3 misbehaves where it describes.
misbehave(deed, 0), (describe(deed) if sys.argv[2] == "describe" else serve(sys.argv[2]))
