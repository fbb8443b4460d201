// Any change of a tokenizer.json is a tokenizer that takes any text, or a FormatError. Input: a byte that chooses the
// file, then changes of three bytes: where (two) and what.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "limelight/error.h"
#include "limelight/tokenizer.h"
#include "model/bpe_characters.h"

using namespace limelight;

namespace {

// ,"<0x00>":0 and so on
std::string byte_pieces() {
  std::string text;
  for (int byte = 0; byte < 256; ++byte)
    text += ",\"" + detail::byte_fallback_piece(static_cast<unsigned char>(byte)) + "\":" + std::to_string(byte);
  return text;
}

const std::string kFiles[] = {
    R"({"added_tokens":[{"id":9,"content":"<e>","single_word":false,"lstrip":true,"rstrip":false,"normalized":true,)"
    R"("special":true}],"normalizer":{"type":"NFC"},"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Digits",)"
    R"("individual_digits":true},{"type":"Punctuation","behavior":"Contiguous"},{"type":"ByteLevel","add_prefix_space":)"
    R"(false,"trim_offsets":true,"use_regex":true}]},"post_processor":{"type":"RobertaProcessing","sep":["a",0],"cls":)"
    R"(["b",1],"trim_offsets":true},"decoder":{"type":"ByteLevel"},"model":{"type":"BPE","dropout":null,"unk_token":"c",)"
    R"("continuing_subword_prefix":"","fuse_unk":false,"byte_fallback":false,"ignore_merges":true,"vocab":{"a":0,"b":1,)"
    R"("c":2,"ab":3,"abc":4,"\u0120":5},"merges":["a b",["ab","c"]]}})",
    R"({"added_tokens":[{"id":0,"content":"[U]","single_word":true,"lstrip":false,"rstrip":true,"normalized":false,)"
    R"("special":true}],"normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,)"
    R"("strip_accents":null,"lowercase":true},"pre_tokenizer":{"type":"BertPreTokenizer"},"post_processor":{"type":)"
    R"("TemplateProcessing","single":[{"SpecialToken":{"id":"[U]","type_id":0}},{"Sequence":{"id":"A","type_id":0}}],)"
    R"("special_tokens":{"[U]":{"id":"[U]","ids":[0],"tokens":["[U]"]}}},"model":{"type":"WordPiece","unk_token":"[U]",)"
    R"("continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":{"[U]":0,"a":1,"##a":2,"ab":3}}})",
    R"({"added_tokens":[{"id":999,"content":"<e>","single_word":false,"lstrip":true,"rstrip":false,"normalized":true,)"
    R"("special":true}],"normalizer":{"type":"Sequence","normalizers":[{"type":"Prepend","prepend":"\u2581"},{"type":)"
    R"("Replace","pattern":{"String":" "},"content":"\u2581"}]},"pre_tokenizer":{"type":"Metaspace","replacement":)"
    R"("\u2581","prepend_scheme":"first","split":true},"decoder":{"type":"Sequence","decoders":[{"type":"Replace",)"
    R"("pattern":{"String":"\u2581"},"content":" "},{"type":"ByteFallback"},{"type":"Fuse"},{"type":"Strip","content":)"
    R"(" ","start":1,"stop":0}]},"model":{"type":"BPE","byte_fallback":true,"vocab":{"a":256,"b":257,"ab":258,"\u2581":)"
    R"(259)" +
        byte_pieces() + R"(},"merges":["a b"]}})"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int file = memfd_create("tokenizer.json", 0);
  std::string text = kFiles[size > 0 ? data[0] % std::size(kFiles) : 0];
  for (size_t at = 1; at + 2 < size; at += 3)
    text[static_cast<size_t>(data[at] << 8 | data[at + 1]) % text.size()] = static_cast<char>(data[at + 2]);
  if (ftruncate(file, 0) != 0 || pwrite(file, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    return 0;
  try {
    const Tokenizer tokenizer = Tokenizer::load("/proc/self/fd/" + std::to_string(file));
    std::vector<int32_t> ids;
    for (const Token& token : tokenizer.encode(" abc<e> 12,,\u00E9e\u0301\u4E2D [U] aab\n")) ids.push_back(token.id);
    tokenizer.decode(ids);
  } catch (const FormatError&) {
  }
  return 0;
}
