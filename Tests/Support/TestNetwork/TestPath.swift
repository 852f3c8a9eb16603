import Glibc

/// Where the programs of the package are.
package enum TestPath {
  /// The path of one of the package's programs, built beside the tests.
  package static func program(_ name: String) throws -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    let own = String(decoding: buffer.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    // The tests run either by themselves or inside a helper that is told where they are.
    for start in [own] + CommandLine.arguments {
      guard let slash = start.lastIndex(of: "/") else { continue }
      let candidate = start[..<slash] + "/" + name
      if access(String(candidate), X_OK) == 0 { return String(candidate) }
    }
    throw TestProgram.Failure(what: "\(name) is not built")
  }
}
