import Glibc

struct SandboxOptions: Sendable, Equatable {
  struct Refusal: Error { let message: String }

  private(set) var port: UInt16 = 0
  private(set) var data: String?
  private(set) var flows: String?
  private(set) var hasSelfService = false
  private(set) var wantsHelp = false

  init(_ arguments: [String]) throws(Refusal) {
    var rest = arguments[...]
    while let flag = rest.popFirst() {
      switch flag {
      case "--help", "-h": wantsHelp = true
      case "--self-service": hasSelfService = true
      case "--port":
        let value = try Self.value(of: flag, in: &rest)
        guard let port = UInt16(value) else {
          throw Refusal(message: "--port takes a number from 0 to 65535, not \"\(value)\"")
        }
        self.port = port
      case "--data": data = try Self.value(of: flag, in: &rest)
      case "--flows":
        let value = try Self.value(of: flag, in: &rest)
        guard Self.isDirectory(value) else {
          throw Refusal(message: "--flows takes a directory, and \"\(value)\" is none")
        }
        flows = value
      default: throw Refusal(message: "unknown argument \"\(flag)\"")
      }
    }
  }

  private static func value(of flag: String, in rest: inout ArraySlice<String>) throws(Refusal) -> String {
    guard let value = rest.popFirst(), !value.isEmpty else { throw Refusal(message: "\(flag) takes a value") }
    return value
  }

  private static func isDirectory(_ path: String) -> Bool {
    var information = stat()
    return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
  }
}
