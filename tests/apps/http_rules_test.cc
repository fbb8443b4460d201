// Who may ask: this machine's own names and the server's own page, and bodies of a known length.
#include "studio/http_rules.h"

#include <gtest/gtest.h>

namespace limelight::studio {
namespace {

HttpHead page() {
  return {.method = "GET", .path = "/", .host = {"127.0.0.1:8423"}};
}

HttpHead call() {
  return {.method = "POST",
          .path = "/api/look",
          .host = {"localhost:8423"},
          .origin = {"http://localhost:8423"},
          .site = {"same-origin"},
          .content_type = {"application/json; charset=utf-8"},
          .content_length = {"20"}};
}

int status(const HttpHead& head) {
  const auto refused = refusal(head, 8423);
  return refused ? refused->status : 200;
}

TEST(HttpRules, TakeThePageAndItsCalls) {
  EXPECT_EQ(status(page()), 200);
  EXPECT_EQ(status(call()), 200);
}

TEST(HttpRules, HostIsALoopbackNameWithTheOwnPort) {
  for (const char* host : {"127.0.0.1:8423", "localhost:8423", "LOCALHOST:8423", "[::1]:8423"}) {
    HttpHead head = page();
    head.host = {host};
    EXPECT_EQ(status(head), 200) << host;
  }
  for (const char* host : {"evil.example:8423", "localhost.evil.example:8423", "127.0.0.1:80", "127.0.0.1", "localhost",
                           "", "127.0.0.1:8423 ", "127.0.0.1:84230", "user@127.0.0.1:8423", "0.0.0.0:8423"}) {
    HttpHead head = page();
    head.host = {host};
    EXPECT_EQ(status(head), 403) << host;
  }
  HttpHead head = page();
  head.host = {};
  EXPECT_EQ(status(head), 403) << "absent";
  head.host = {"127.0.0.1:8423", "evil.example"};
  EXPECT_EQ(status(head), 403) << "twice";
}

TEST(HttpRules, OriginAndSiteAreTheServersOwn) {
  for (const char* origin : {"http://evil.example", "null", "https://localhost:8423", "http://localhost:1",
                             "localhost:8423", "http://localhost:8423.evil.example"}) {
    HttpHead head = call();
    head.origin = {origin};
    EXPECT_EQ(status(head), 403) << origin;
    head = page();
    head.origin = {origin};
    EXPECT_EQ(status(head), 403) << origin;
  }
  HttpHead head = call();
  head.site = {"cross-site"};
  EXPECT_EQ(status(head), 403);
  head.site = {"same-site"};
  EXPECT_EQ(status(head), 403);
  head = page();
  head.site = {"cross-site"};
  EXPECT_EQ(status(head), 200) << "a link may lead to the page";
}

TEST(HttpRules, CallsArePostedAsJsonOfAKnownLength) {
  HttpHead head = call();
  head.method = "GET";
  EXPECT_EQ(status(head), 405);
  head = call();
  head.content_type = {"text/plain"};
  EXPECT_EQ(status(head), 415);
  head.content_type = {};
  EXPECT_EQ(status(head), 415);
  head = call();
  head.content_length = {};
  EXPECT_EQ(status(head), 411);
  head = call();
  head.transfer_encoding = {"chunked"};
  EXPECT_EQ(status(head), 411);
  head = call();
  head.content_encoding = {"gzip"};
  EXPECT_EQ(status(head), 415);
  head = page();
  head.method = "POST";
  EXPECT_EQ(status(head), 405);
  head.method = "DELETE";
  EXPECT_EQ(status(head), 405);
}

TEST(HttpRules, LengthsAreDigitsWithinTheLimit) {
  const auto with = [](std::vector<std::string> lengths) {
    HttpHead head = call();
    head.content_length = std::move(lengths);
    return status(head);
  };
  EXPECT_EQ(with({"1048576"}), 200);
  EXPECT_EQ(with({"1048577"}), 413);
  EXPECT_EQ(with({"18446744073709551616"}), 413);
  for (const char* length : {"-268435455700", "1x", "", "0x10", "+5", " 5", "1e3"})
    EXPECT_EQ(with({length}), 400) << length;
  EXPECT_EQ(with({"5", "5"}), 400);
}

TEST(HttpRules, FilesAreAskedForWithoutABody) {
  for (const char* method : {"GET", "HEAD"}) {
    HttpHead head = page();
    head.method = method;
    head.content_length = {"5"};
    EXPECT_EQ(status(head), 400) << method;
    head.content_length = {"0"};
    EXPECT_EQ(status(head), 200) << method;
  }
}

TEST(HttpRules, PathsAreShort) {
  HttpHead head = page();
  head.path = "/" + std::string(400, 'a');
  EXPECT_EQ(status(head), 414);
}

}  // namespace
}  // namespace limelight::studio
