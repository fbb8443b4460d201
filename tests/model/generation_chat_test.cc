// The chat template: ChatML is followed, everything else refused.
#include <gtest/gtest.h>

#include "limelight/error.h"
#include "limelight/generation.h"
#include "tests/model/thrown.h"
#include "tests/model/tiny_writer.h"

namespace limelight::testing {
namespace {

const std::string kFrame =
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + "
    "'\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

std::string with_system(const std::string& words) {
  std::string text = kFrame;
  const std::string start = "{% for message in messages %}";
  return text.insert(start.size(), "{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\n" +
                                       words + "<|im_end|>\n' }}{% endif %}");
}

// A writer whose metadata has this template.
Decoder decoder_with(const std::string& jinja) {
  const TinyWriter writer;
  write_text(writer.path() / "tokenizer_config.json", nlohmann::json({{"chat_template", jinja}}).dump());
  return writer.load();
}

std::string refusal(const std::string& jinja) {
  return thrown<FormatError>([&] { chat_prompt(decoder_with(jinja), "hi"); });
}

TEST(ChatPrompt, FramesOneMessage) {
  EXPECT_EQ(chat_prompt(decoder_with(kFrame), "hi there"),
            "<|im_start|>user\nhi there<|im_end|>\n<|im_start|>assistant\n");
}

TEST(ChatPrompt, BeginsWithTheTemplatesOwnSystemUnlessAnotherIsGiven) {
  const Decoder decoder = decoder_with(with_system("You are kind, and short."));
  EXPECT_EQ(chat_prompt(decoder, "hi"),
            "<|im_start|>system\nYou are kind, and short.<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n"
            "<|im_start|>assistant\n");
  EXPECT_TRUE(chat_prompt(decoder, "hi", "Be blunt.").starts_with("<|im_start|>system\nBe blunt.<|im_end|>\n"));
}

TEST(ChatPrompt, SpacesOfTheTemplateAndEscapedLinesAreTheSame) {
  std::string spaced = with_system("Be kind.");
  for (size_t at = 0; (at = spaced.find("\n", at)) != std::string::npos; at += 2) spaced.replace(at, 1, "\\n");
  for (size_t at = 0; (at = spaced.find("%}{", at)) != std::string::npos; at += 3) spaced.replace(at, 3, "%}\n  {");
  EXPECT_EQ(chat_prompt(decoder_with(spaced), "hi"), chat_prompt(decoder_with(with_system("Be kind.")), "hi"));
}

TEST(ChatPrompt, ATemplateOfItsOwnFileIsFollowed) {
  const TinyWriter writer;
  write_text(writer.path() / "chat_template.jinja", kFrame + "\n");
  EXPECT_TRUE(chat_prompt(writer.load(), "hi").starts_with("<|im_start|>user\nhi<|im_end|>\n"));
}

TEST(ChatPrompt, AnyOtherTemplateIsRefused) {
  const std::string strange = "expected a chat template of the ChatML form";
  EXPECT_NE(refusal("{{ bos_token }}" + kFrame).find(strange), std::string::npos);
  EXPECT_NE(refusal(kFrame + "{{ 'x' }}").find(strange), std::string::npos);
  EXPECT_NE(refusal("[INST] {{ message }} [/INST]").find(strange), std::string::npos);
  EXPECT_NE(refusal(with_system("' + today + '")).find(strange), std::string::npos);
  EXPECT_NE(refusal("").find(strange), std::string::npos);
  EXPECT_NE(refusal("{% for message in messages %}").find(strange), std::string::npos);
}

TEST(ChatPrompt, AModelWithoutATemplateIsRefused) {
  const TinyWriter writer;
  EXPECT_NE(thrown<FormatError>([&] { chat_prompt(writer.load(), "hi"); }).find("has no chat template"),
            std::string::npos);
}

}  // namespace
}  // namespace limelight::testing
