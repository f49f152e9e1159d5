// Places in source: read out of messages, found among a kernel's own files, and never guessed.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/report/places.hpp>

namespace negzero::report {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A tree of sources that goes with the test.
class PlacesTest : public ::testing::Test {
 protected:
  PlacesTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "negzero-places-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  ~PlacesTest() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root_ + "/" + path).parent_path());
    std::ofstream(root_ + "/" + path) << text;
  }
  [[nodiscard]] Sources sources() const { return Sources({"/nowhere", root_}); }
  [[nodiscard]] std::vector<SourcePlace> located(const std::string& message) const {
    std::vector<SourcePlace> places = places_in(message);
    locate(places, "kernels/gemm/mine.cu", sources());
    return places;
  }
  std::string root_;
};

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> result;
  for (const SourcePlace& place : places_in(text)) result.push_back(place.name + " " + std::to_string(place.line));
  return result;
}

TEST(PlacesIn, AreFilesOfSourceWithALine) {
  EXPECT_THAT(names_in("write at tile.cuh:28 (from mine.cu:41) by thread (0,0,0), and read at mine.cu:41, a-b.1.cpp:7"),
              ElementsAre("tile.cuh 28", "mine.cu 41", "a-b.1.cpp 7"));
}

TEST(PlacesIn, NothingElseIsOne) {
  EXPECT_THAT(
      names_in("case 5: element 3 of x: 4, program+0x12, 10:30, mine.cu, mine.cu:, mine.cu:x, mine.cu:0, .cu:3, "
               "mine.cu:-3, mine.txt:3, mine.cu:99999999999"),
      IsEmpty());
}

TEST_F(PlacesTest, AreFoundInTheFileOfTheKernelWithTheLinesAround) {
  write("kernels/gemm/mine.cu", "1\n2\n3\n4\n5\n6\r\n7\n8\n9\n");
  const auto places = located("at mine.cu:5");
  ASSERT_THAT(places, SizeIs(1));
  EXPECT_EQ(places[0].file, "kernels/gemm/mine.cu");
  ASSERT_THAT(places[0].lines, SizeIs(7));
  EXPECT_EQ(places[0].lines.front(), (std::pair{2, std::string("2")}));
  EXPECT_EQ(places[0].lines[4], (std::pair{6, std::string("6")}));
  EXPECT_EQ(places[0].lines.back(), (std::pair{8, std::string("8")}));
}

TEST_F(PlacesTest, AreFoundInWhatItIncludes) {
  write("kernels/gemm/mine.cu", "#include <negzero/cuda/cuda.hpp>\n  #  include \"../common/outer.cuh\"\n");
  write("kernels/common/outer.cuh", "#include \"inner.cuh\"\n#include \"outer.cuh\"\n");
  write("kernels/common/inner.cuh", "only line\n");
  EXPECT_EQ(located("inner.cuh:1")[0].file, "kernels/common/inner.cuh");
}

TEST_F(PlacesTest, OfADeclaredKernelAreInTheFileBesideTheDeclaration) {
  write("own/mine.nz", "kernel mine\n");
  write("own/mine.cu", "#include \"sub/part.cuh\"\nint a;\n");
  write("own/sub/part.cuh", "int b ;\n");
  write("own/other.cu", "int c;\n");
  const auto texts = [&](const char* name, int line) {
    return texts_of(std::vector<operation::SourceLine>{{name, line}}, "own/mine.nz", sources());
  };
  EXPECT_THAT(texts("mine.cu", 2), testing::ElementsAre("inta;"));
  EXPECT_THAT(texts("part.cuh", 1), testing::ElementsAre("intb;"));
  EXPECT_THAT(texts("other.cu", 1), testing::ElementsAre("intc;")) << "named in the declaration";
  EXPECT_THAT(texts("mine.cu", 3), testing::IsEmpty());
  EXPECT_THAT(texts("none.cu", 1), testing::IsEmpty());
  write("own/part.cuh", "int d;\n");
  EXPECT_THAT(texts("part.cuh", 1), testing::IsEmpty()) << "two of one name";
}

TEST_F(PlacesTest, AFileOfThatNameThatTheKernelDoesNotIncludeIsNotTheOne) {
  write("kernels/gemm/mine.cu", "// #include \"other.cuh\"\n");
  write("kernels/gemm/other.cuh", "x\n");
  EXPECT_EQ(located("other.cuh:1")[0].file, "");
}

TEST_F(PlacesTest, TwoFilesOfOneNameAreNone) {
  write("kernels/gemm/mine.cu", "#include \"a/tile.cuh\"\n#include \"b/tile.cuh\"\n");
  write("kernels/gemm/a/tile.cuh", "x\n");
  write("kernels/gemm/b/tile.cuh", "x\n");
  EXPECT_EQ(located("tile.cuh:1")[0].file, "");
}

TEST_F(PlacesTest, WithoutTheFileThePlaceIsKnownAndTheLinesAreNot) {
  const auto places = located("mine.cu:5");
  EXPECT_EQ(places[0].file, "kernels/gemm/mine.cu");
  EXPECT_THAT(places[0].lines, IsEmpty());
}

TEST_F(PlacesTest, AFileThatHasBecomeShorterShowsNoLines) {
  write("kernels/gemm/mine.cu", "1\n2\n3\n");
  EXPECT_THAT(located("mine.cu:4")[0].lines, IsEmpty());
  EXPECT_THAT(located("mine.cu:3")[0].lines, SizeIs(3));
}

TEST_F(PlacesTest, OnlyFilesOfSourceAreRead) {
  write("secret", "key\n");
  write("big.cu", std::string((1 << 22) + 1, 'x'));
  std::filesystem::create_directories(root_ + "/folder.cu");
  for (const std::string path : {"secret", "big.cu", "folder.cu", "none.cu", ".cu"}) {
    EXPECT_FALSE(sources().read(path)) << path;
    EXPECT_FALSE(sources().read(root_ + "/" + path)) << path;
  }
}

TEST(PlaceOf, ARegistrationThatIsNotKnownIsNoPlace) { EXPECT_EQ(place_of("", 7, {}).line, 0); }

}  // namespace
}  // namespace negzero::report
