// The spotlight as comma-separated values (RFC 4180), one line for every pair of words.
#pragma once

#include <string>

#include "spotlight.h"

namespace limelight::studio {

// query,query_index,word,index,weight,percent,blocked; a row's last line holds its special tokens, without an
// index, where it has any. A word that begins with = + - @, tab or return has a ' before it, so that no spreadsheet
// runs it.
std::string spotlight_csv(const Spotlight& light);

}  // namespace limelight::studio
