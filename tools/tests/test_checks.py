"""Each check lets good sources pass and fails on bad ones, by name and line."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOOLS))
from cpp_functions import functions_of  # noqa: E402


class Project(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="a project ")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())

    def check(self, name):
        return subprocess.run([sys.executable, str(TOOLS / name), "--root", str(self.root)], capture_output=True, text=True)

    def assert_passes(self, name):
        done = self.check(name)
        self.assertEqual(done.returncode, 0, done.stderr)

    def assert_finds(self, name, *words):
        done = self.check(name)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)


class Includes(Project):
    def setUp(self):
        super().setUp()
        self.write("include/limelight/tensor.h", "#include <cstdint>\n")
        self.write("include/limelight/nn.h", '#include "limelight/tensor.h"\n')
        self.write("src/core/parallel.h", "#include <functional>\n")
        self.write("src/nn/linear.cc", '#include "core/parallel.h"\n#include "limelight/nn.h"\n')
        self.write("src/kernels/targets.cc", '#include "hwy/foreach_target.h"\n#include <hwy/highway.h>\n')

    def test_downward_includes_pass(self):
        self.assert_passes("check-includes")

    def test_upward_include_is_found(self):
        self.write("src/core/tensor.cc", '#include <new>\n#include "limelight/nn.h"\n')
        self.assert_finds("check-includes", "src/core/tensor.cc:2", "core may not include nn")

    def test_siblings_stay_apart(self):
        self.write("src/train/loop.h", "")
        self.write("src/model/bert.cc", '#include "train/loop.h"\n')
        self.assert_finds("check-includes", "src/model/bert.cc:1", "model may not include train")

    def test_library_header_in_the_wrong_folder_is_found(self):
        self.write("src/nn/norm.cc", '#include <hwy/highway.h>\n')
        self.write("apps/studio/answer.cc", '#  include <CLI/CLI.hpp>\n')
        self.assert_finds("check-includes", "src/nn/norm.cc:1", "only src/kernels", "apps/studio/answer.cc:1", "only apps/cli")

    def test_unknown_library_is_found(self):
        self.write("src/core/log.cc", "#include <spdlog/spdlog.h>\n")
        self.assert_finds("check-includes", "src/core/log.cc:1", "spdlog")

    def test_public_header_shows_no_private_part_and_no_thread(self):
        self.write("include/limelight/runtime.h", '#include <thread>\n#include "core/parallel.h"\n')
        self.assert_finds("check-includes", "runtime.h:1", "runtime.h:2", "public headers alone")

    def test_public_header_without_a_layer_is_found(self):
        self.write("include/limelight/novel.h", "")
        self.write("src/nn/novel.cc", '#include "limelight/novel.h"\n')
        self.assert_finds("check-includes", "novel.h belongs to no layer")

    def test_example_stays_outside(self):
        self.write("examples/one.cc", '#include "core/parallel.h"\n')
        self.assert_finds("check-includes", "examples/one.cc:1")


class Sizes(Project):
    def test_small_files_pass(self):
        self.write("src/nn/a.cc", "int f() {\n" + "  g();\n" * 48 + "}\n")
        self.write("src/kernels/b.cc", "int f() {\n" + "  g();\n" * 118 + "}\n")
        self.assert_passes("check-sizes")

    def test_long_function_is_found(self):
        self.write("src/nn/a.cc", "\nint f(int a) {\n" + "  g();\n" * 49 + "}\n")
        self.assert_finds("check-sizes", "src/nn/a.cc:2: f: 51 lines")

    def test_long_kernel_is_found(self):
        self.write("src/kernels/a.cc", "int f(int a) {\n" + "  g();\n" * 119 + "}\n")
        self.assert_finds("check-sizes", "f: 121 lines, at most 120")

    def test_long_python_function_is_found(self):
        self.write("tools/check-it", "#!/usr/bin/env python3\ndef f():\n" + "    g()\n" * 50)
        self.assert_finds("check-sizes", "tools/check-it:2: f: 51 lines")

    def test_long_file_is_found(self):
        self.write("src/nn/a.cc", "int a;\n" * 401)
        self.assert_finds("check-sizes", "src/nn/a.cc: 401 lines")

    def test_brace_that_nothing_closes_is_found(self):
        self.write("src/nn/a.cc", "int f() {\n  if (a) {\n}\n")
        self.assert_finds("check-sizes", "src/nn/a.cc:1")


class Format(Project):
    def setUp(self):
        super().setUp()
        self.write(".clang-format", "BasedOnStyle: Google\n")

    def test_formatted_source_passes(self):
        self.write("a.cc", "int f() { return 1; }\n")
        self.assert_passes("check-format")

    def test_unformatted_source_is_found(self):
        self.write("a.cc", "int f( ) {return 1;}\n")
        self.assert_finds("check-format", "a.cc:1", "clang-format")

    def test_bad_text_is_found(self):
        self.write("a.md", "one \n\ttwo\nthree")
        self.write("b.py", b"\xff\n")
        self.assert_finds("check-format", "a.md:1", "trailing blank", "a.md:2", "a tab", "no line end", "b.py: not UTF-8")


class Words(Project):
    def test_plain_words_pass(self):
        self.write("README.md", "Limelight\n" * 150)
        self.write("src/core/error.cc", "  throw FileError(message);\n")
        self.assert_passes("check-words")

    def test_long_readme_is_found(self):
        self.write("README.md", "Limelight\n" * 151)
        self.assert_finds("check-words", "expected at most 150 lines, found 151")

    def test_vague_name_is_found(self):
        self.write("src/nn/string_utils.cc", "")
        self.assert_finds("check-words", "string_utils.cc: 'utils'")

    def test_path_of_one_machine_is_found(self):
        self.write("docs/a.md", "see\n/ho" + "me/somebody/notes\n")
        self.assert_finds("check-words", "docs/a.md:2", "one machine")

    def test_unfinished_work_is_found(self):
        self.write("src/nn/a.cc", "// TO" + "DO: all\n")
        self.assert_finds("check-words", "src/nn/a.cc:1")

    def test_second_place_that_throws_is_found(self):
        self.write("src/nn/a.cc", "int f() {\n  throw 1;\n}\n")
        self.assert_finds("check-words", "src/nn/a.cc:2", "error.cc")

    def test_library_that_prints_is_found(self):
        self.write("src/nn/a.cc", '  std::printf("x");\n  std::cerr << 1;\n  std::snprintf(b, 2, "x");\n')
        self.assert_finds("check-words", "src/nn/a.cc:1", "src/nn/a.cc:2", "check-words: 2 found")


class CppFunctions(unittest.TestCase):
    SOURCE = '''#define OPEN {
namespace a::b {
// A comment with { and "
template <class T = decltype(f<1>())>
struct S final : Base<T> {
  S() : x_{1}, y_(2) {
    g();
  }
  bool operator==(const S&) const { return true; }
  int operator()(int i) const {
    auto inner = [&](int j) {
      return j;
    };
    return inner(i);
  }
  std::vector<int> list = {1, 2};
  int x_ = 0;
};
const char* const kText = R"(
  } } not code "{" )";
constexpr char kBrace = '{';
constexpr int kMillion = 1'000'000;
const auto square = [](int x) {
  return x * x;
};
enum class Kind { kOne, kTwo };
void h(S s = {}, int n = 2) noexcept {
}
TEST(Law, HoldsAlways) {
  EXPECT_EQ(1, 1);
}
extern "C" {
int c() { return 0; }
}
}  // namespace a::b
'''

    def test_every_kind_of_function_is_found_once(self):
        found = [(f.name, f.line, f.lines) for f in functions_of(self.SOURCE)]
        self.assertEqual(found, [("S", 6, 3), ("operator==", 9, 1), ("operator()", 10, 6), ("square", 23, 3), ("h", 27, 2),
                                 ("TEST(Law, HoldsAlways)", 29, 3), ("c", 33, 1)])


if __name__ == "__main__":
    unittest.main()
