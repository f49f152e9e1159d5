// Folders whose content is run or believed: whether another user could have put it there.

#pragma once

#include <string>

#include <negzero/base/result.hpp>

namespace negzero::files {

/// Says why another user may have written what is at a path: it is no folder and no regular file (a symbolic link,
/// say), it belongs to another user, or its mode lets others write. Empty: it is this user's own. Of a path that is not
/// there it says so.
[[nodiscard]] std::string why_not_own(const std::string& path);
[[nodiscard]] inline bool is_own(const std::string& path) { return why_not_own(path).empty(); }

/// Makes a folder that only this user may enter, with the folders above it, or takes one that is there and is this
/// user's own. Infrastructure error: "PATH: WHY", where it cannot be made or is not.
[[nodiscard]] base::Status make_own_folder(const std::string& path);
/// The same of a folder below one that is this user's own, where whatever else has the name may go.
[[nodiscard]] base::Status make_own_folder_anew(const std::string& path);

/// Takes from others the right to write a file, or a folder and all below it, whatever the umask has left them. Links
/// stay as they are.
void close_to_others(const std::string& path);

}  // namespace negzero::files
