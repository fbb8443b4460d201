// A program that knows only the installed model library: the words of a text.
#include <limelight/tokenizer.h>

#include <cstdio>
#include <string>

int main() {
  const std::string text = "It didn't cross.";
  const std::vector<limelight::Span> words = limelight::words_of(text);
  for (const limelight::Span& word : words) {
    std::printf("%s|", text.substr(word.begin, word.end - word.begin).c_str());
  }
  std::printf("\n");
  return words.size() == 4 ? 0 : 1;
}
