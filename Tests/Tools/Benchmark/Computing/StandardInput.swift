import Glibc
internal import SystemCalls

enum StandardInput {
  /// Reads standard input to its end.
  static func bytes() throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(STDIN_FILENO, &part, part.count)
      guard count >= 0 else { throw SystemError("read") }
      guard count > 0 else { return bytes }
      bytes += part[..<count]
    }
  }
}
