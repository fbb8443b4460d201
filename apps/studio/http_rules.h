// Which requests the server takes at all: its own host and page alone, and bodies whose length is told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace limelight::studio {

// What of a request is judged before its body is read. Of a header that came several times, all values.
struct HttpHead {
  std::string method, path;
  std::vector<std::string> host{}, origin{}, site{}, content_type{}, content_length{}, content_encoding{},
      transfer_encoding{};
};

struct HttpRefusal {
  int status = 400;
  std::string message;
};

// Nothing where the request is welcome on the server of this port.
std::optional<HttpRefusal> refusal(const HttpHead& head, int port);

}  // namespace limelight::studio
