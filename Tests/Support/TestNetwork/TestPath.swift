import Glibc

/// Paths of the package's programs.
package enum TestPath {
  /// The path of one of the package's programs, built beside the tests.
  package static func program(_ name: String) throws -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    let own = String(decoding: buffer.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    // The tests run in their own executable, or in a helper with their path as an argument.
    for start in [own] + CommandLine.arguments {
      guard let slash = start.lastIndex(of: "/") else { continue }
      let candidate = start[..<slash] + "/" + name
      if access(String(candidate), X_OK) == 0 { return String(candidate) }
    }
    throw TestProgram.Failure(what: "\(name) is not built")
  }
}
