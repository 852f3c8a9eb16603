import Glibc

/// Creates a directory and its missing parents with mode 0700, and returns true if the directory is new.
///
/// The XDG Base Directory Specification requires this mode.
@discardableResult
public func makeDirectory(_ path: String) throws(SystemError) -> Bool {
  if mkdir(path, 0o700) == 0 { return true }
  if errno == EEXIST { return false }
  let parent = containingDirectory(of: path)
  guard errno == ENOENT, parent != path, parent != "." else { throw SystemError("mkdir", at: path) }
  try makeDirectory(parent)
  guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemError("mkdir", at: path) }
  return true
}
