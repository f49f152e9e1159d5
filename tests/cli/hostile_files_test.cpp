// Case files that lie: cut off, flipped, absurd. Every command ends with an exit code and an error that names the file.

#include <cstdint>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "program.hpp"

namespace negzero::cli_test {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

/// A file in the format of safetensors with this header and so many zero bytes of data.
std::string file_with(const std::string& header, std::size_t data_bytes) {
  const std::uint64_t length = header.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &length, sizeof length);
  return file + header + std::string(data_bytes, '\0');
}

void expect_refused(const std::string& bytes, const std::string& what) {
  const Directory directory;
  const std::string path = directory / "hostile.safetensors";
  write(path, bytes);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"show", path}, {"replay", path}, {"shrink", path, "-o", directory / "out"}}) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.signal, 0) << what << " " << words[0];
    EXPECT_EQ(ran.code, 2) << what << " " << words[0] << ": " << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(path)) << what;
  }
}

TEST(HostileFiles, Truncated) {
  const std::string whole = contents(kCase);
  ASSERT_GT(whole.size(), 200u);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{9},
                                 whole.size() / 2, whole.size() - 1}) {
    expect_refused(whole.substr(0, size), "the first " + std::to_string(size) + " bytes");
  }
  expect_refused(whole + "x", "a byte too many");
}

TEST(HostileFiles, AFileOfAnotherKindIsNoCaseFile) {
  const std::string path = std::string(NEGZERO_SOURCE_DIR) + "/README.md";
  for (const std::string command : {"replay", "show"}) {
    const Ran ran = run({command, path});
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr("README.md: this is no case file: a case file is a safetensors file, and `negzero "
                                   "check` writes them\n"));
  }
  const Directory directory;
  write(directory / "cut", contents(kCase).substr(0, 100));
  EXPECT_THAT(run({"show", directory / "cut"}).err, HasSubstr("mend the file or fetch it again")) << "it was one";
}

TEST(HostileFiles, Flipped) {
  const Directory directory;
  const std::string path = directory / "flipped.safetensors", whole = contents(kCase);
  for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 60) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
    write(path, bytes);
    for (const char* command : {"show", "replay"}) {
      const Ran ran = run({command, path, "--json"});
      EXPECT_EQ(ran.signal, 0) << "byte " << at;
      EXPECT_THAT(ran.code, ::testing::AnyOf(0, 1, 2, 3, 4)) << "byte " << at;
      EXPECT_FALSE(ran.json().is_discarded()) << "byte " << at;
    }
  }
}

TEST(HostileFiles, Absurd) {
  const std::string operation =
      R"("operation":"{\"extents\":{\"columns\":4,\"rows\":1},\"formats\":{\"x\":\"F32\",\"y\":\"F32\"},\"name\":\"reduce.sum\"}")";
  const std::string meta = R"({"__metadata__":{"negzero":"1",)" + operation + "},";
  expect_refused(file_with("", 0), "an empty header");
  expect_refused(std::string("\xff\xff\xff\xff\xff\xff\xff\xff{}"), "a header longer than any file");
  expect_refused(file_with("[]", 0), "a header that is no object");
  expect_refused(file_with(std::string(100'000, '['), 0), "deep nesting");
  expect_refused(file_with(meta + R"("x":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,16]}})", 16),
                 "a shape that overflows");
  expect_refused(file_with(meta + R"("x":{"dtype":"F32","shape":[1,4],"data_offsets":[0,1099511627776]}})", 16),
                 "a tensor of a terabyte");
  expect_refused(file_with(meta + R"("x":{"dtype":"F32","shape":[1,-4],"data_offsets":[0,16]}})", 16),
                 "a negative shape");
  expect_refused(file_with(meta + R"("x":{"dtype":"F99","shape":[1,4],"data_offsets":[0,16]}})", 16),
                 "an unknown type");
  expect_refused(file_with(meta + R"("x":{"dtype":"F64","shape":[1,2],"data_offsets":[0,16]}})", 16), "the wrong type");
  expect_refused(file_with(meta + R"("x":{"dtype":"F32","shape":[1,4],"data_offsets":[0,16]},)"
                                  R"("y":{"dtype":"F32","shape":[1,4],"data_offsets":[8,24]}})",
                           24),
                 "overlapping tensors");
  expect_refused(file_with(meta + R"("x":{"dtype":"F32","shape":[1,4],"data_offsets":[0,16]},)"
                                  R"("x":{"dtype":"F32","shape":[1,4],"data_offsets":[0,16]}})",
                           16),
                 "one key twice");
  expect_refused(file_with(R"({"__metadata__":{"negzero":"1","operation":7}})", 0), "metadata that is no text");
  expect_refused(file_with(R"({"__metadata__":{"negzero":"99",)" + operation + "}}", 0), "a version of the future");
  expect_refused(file_with(R"({"x":{"dtype":"F32","shape":[1,4],"data_offsets":[0,16]}})", 16), "no metadata");
}

TEST(HostileFiles, CorruptMetadata) {
  const auto damaged = [](const std::string& key, const std::string& text) {
    nlohmann::ordered_json meta{
        {"negzero", "1"},
        {"operation", R"({"extents":{"columns":4,"rows":1},"formats":{"x":"F32","y":"F32"},"name":"reduce.sum"})"},
        {"kernel", "reduce.sum.tree.f32"}};
    meta[key] = text;
    const nlohmann::ordered_json header{{"__metadata__", meta},
                                        {"x", {{"dtype", "F32"}, {"shape", {1, 4}}, {"data_offsets", {0, 16}}}}};
    return file_with(header.dump(), 16);
  };
  const Directory directory;
  write(directory / "fine", damaged("strategy", "special"));
  ASSERT_EQ(run({"show", directory / "fine"}).code, 0) << "only the damage is damaged";
  struct Damage {
    std::string key, text, value;
  };
  for (const Damage& damage : {Damage{"contract", R"({"order":"sideways"})", "sideways"},
                               {"contract", R"({"ordre":"any"})", "ordre"},
                               {"contract", R"({"model":"abacus"})", "abacus"},
                               {"contract", "{", "{"},
                               {"contract", "no_such_preset", "no_such_preset"},
                               {"poison", "arsenic", "arsenic"},
                               {"schedule", R"({"order":"sideways","preempt":false,"seed":"0"})", "sideways"},
                               {"schedule", "[", "schedule"},
                               {"seed", "minus one", "minus one"},
                               {"expect", R"([{"kernel":"x","verdict":"perhaps"}])", "perhaps"},
                               {"layout", R"({"x":{"offset":0,"shape":[1,4],"strides":[4]}})", "x"},
                               {"operation", R"({"name":"reduce.product"})", "reduce.product"}}) {
    const std::string bytes = damaged(damage.key, damage.text);
    expect_refused(bytes, damage.key + " " + damage.text);
    const std::string path = directory / "damaged";
    write(path, bytes);
    const Ran ran = run({"show", path});
    for (const std::string& part : {path, damage.key, damage.value, std::string("mend")}) {
      EXPECT_THAT(ran.err, HasSubstr(part)) << damage.key << " " << damage.text;
    }
  }
}

TEST(HostileFiles, WhatIsNoFileIsNamedAndNotWaitedFor) {
  const Directory directory;
  const std::string pipe = directory / "pipe.safetensors", socket = directory / "socket.safetensors";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::strncpy(address.sun_path, socket.c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  write(directory / "case.safetensors", contents(kCase));

  const Ran folder = run({"replay", directory.path()}, {.time_limit_s = 20});
  EXPECT_EQ(folder.signal, 0) << "it waited";
  EXPECT_EQ(folder.code, 2) << folder.err;
  EXPECT_THAT(folder.err, HasSubstr(pipe + ": is a named pipe, not a case file"));
  EXPECT_THAT(folder.err, HasSubstr(socket + ": is a socket, not a case file"));
  EXPECT_THAT(folder.out, HasSubstr("case.safetensors")) << "the case beside them runs";

  for (const std::string& path : {pipe, socket, std::string("/dev/zero")}) {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"show", path}, {"replay", path}, {"shrink", path, "-o", directory / "out"}}) {
      const Ran ran = run(words, {.time_limit_s = 20});
      EXPECT_EQ(ran.signal, 0) << words[0] << " " << path << ": it waited";
      EXPECT_EQ(ran.code, 2) << words[0] << " " << path << ": " << ran.err;
      EXPECT_THAT(ran.err, HasSubstr(path + ": is a "));
    }
  }
  ::close(fd);
}

TEST(HostileFiles, ACaseComesThroughAPipeOfTheShell) {
  const std::string line = "cat '" + kCase + "' | '" NEGZERO_PROGRAM "' show /dev/stdin >/dev/null";
  EXPECT_EQ(::system(line.c_str()), 0);
}

TEST(HostileFiles, ControlCharactersDoNotReachTheTerminal) {
  const Directory directory;
  const std::string path = directory / "\x1b[31mred.safetensors";
  std::string bytes = contents(kCase);
  write(path, bytes);
  const Ran ran = run({"replay", path});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out.find('\x1b'), std::string::npos);
  const Ran shrink = run({"shrink", path, "-o", directory / "out"});
  EXPECT_EQ(shrink.code, 1);
  EXPECT_EQ(shrink.err.find('\x1b'), std::string::npos);
  write(path, "nonsense");
  const Ran bad = run({"show", path});
  EXPECT_EQ(bad.code, 2);
  EXPECT_EQ(bad.err.find('\x1b'), std::string::npos);
}

TEST(HostileFiles, WhatAFileSaysForgesNoLineAndReachesNoTerminal) {
  const std::string evil = "evil\x1b[2J\nok    forged\xc2\x9b\xe2\x80\xae\x7f";
  const nlohmann::ordered_json expectation{{{"kernel", evil}, {"verdict", "fail"}, {"rule", evil}}};
  const nlohmann::ordered_json meta{
      {"negzero", "1"},
      {"operation", R"({"extents":{"columns":4,"rows":1},"formats":{"x":"F32","y":"F32"},"name":"reduce.sum"})"},
      {"kernel", evil},
      {"strategy", evil},
      {"expect", expectation.dump()},
      {evil, evil}};
  const Directory directory;
  const std::string path = directory / evil;
  write(path, file_with(nlohmann::ordered_json{{"__metadata__", meta},
                                               {"x", {{"dtype", "F32"}, {"shape", {1, 4}}, {"data_offsets", {0, 16}}}}}
                            .dump(),
                        16));
  const auto expect_clean = [](const std::string& text, const std::string& what) {
    EXPECT_EQ(text.find("\nok    forged"), std::string::npos) << what << ": " << text;
    for (const char* const obeyed : {"\x1b", "\xc2\x9b", "\xe2\x80\xae", "\x7f"}) {
      EXPECT_EQ(text.find(obeyed), std::string::npos) << what << ": " << text;
    }
  };
  const std::string xml = directory / "out.xml";
  for (const Words& words : {Words{"show", path},
                             {"replay", path},
                             {"replay", path, "--kernel", "reduce.sum.*"},
                             {"replay", path, "--kernel", "reduce.sum.*", "--junit", xml},
                             {"replay", path, "--kernel", "faulty.*"},
                             {"shrink", path, "-o", directory / "out"}}) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.signal, 0);
    expect_clean(ran.out, words[0]);
    expect_clean(ran.err, words[0]);
    Words with_json = words;
    with_json.emplace_back("--json");
    const Ran document = run(with_json);
    EXPECT_FALSE(document.json().is_discarded());
    expect_clean(document.out, words[0] + " --json");
  }
  EXPECT_EQ(run({"show", path, "--json"}).json()["kernel"], evil) << "a document says what the file says";
  expect_clean(contents(xml), "JUnit");
}

TEST(HostileFiles, TheLineThatReplaysAFileOfAnyNameCanBePasted) {
  const Directory directory;
  const std::string path = directory / "a\x1b'b\\ \xff.safetensors";
  write(path, contents(kRegressions + "/G8_k_tail_not_predicated.safetensors"));
  const Ran ran = run({"replay", path, "--kernel", "faulty.G8.*"}, {.command = NEGZERO_PROGRAM});
  EXPECT_EQ(ran.code, 1) << ran.err;
  const std::size_t at = ran.out.find("  replay     ");
  ASSERT_NE(at, std::string::npos) << ran.out;
  const std::string line = ran.out.substr(at, ran.out.find('\n', at) - at).substr(13);
  write(directory / "pasted", line + " >/dev/null 2>&1\n");
  const int status = ::system(("bash '" + (directory / "pasted") + "'").c_str());
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1) << line;
}

}  // namespace
}  // namespace negzero::cli_test
