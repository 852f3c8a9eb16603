import ControlAPI
import Testing

/// Checks that names and numbers of the interface are defined only in `ControlAPI` and `JSONRPC`.
@Suite("Interface names")
struct InterfaceNamesTests {
  private static let users = Repository.sources.map { files in
    files.filter { $0.module != "ControlAPI" && $0.module != "JSONRPC" }
  }

  /// Client files that read members outside the interface: the JSON-RPC envelope, data of relying parties,
  /// and descriptions of servers.
  private static let looksElsewhere = ["DaemonMessage.swift", "ContextText.swift", "FormField+Raw.swift"]

  @Test("no source file contains a method name as a string literal")
  func methods() throws {
    let names = Set(MethodTable.all.map { Substring($0.name) })
    for file in try Self.users.get() {
      for literal in file.literals { #expect(!names.contains(literal.text), "\(literal.place)") }
    }
  }

  @Test("no source file contains an error code as a number")
  func errors() throws {
    for file in try Self.users.get() where file.module != "Sandbox" {
      for (index, line) in file.lines.enumerated() where !line.drop(while: { $0 == " " }).hasPrefix("//") {
        // Round numbers have separators, and 0x10000 does not match.
        let words = line.split { !$0.isASCII || !($0.isLetter || $0.isNumber || "-_".contains($0)) }
        let codes = words.compactMap { Int($0) }
        #expect(!codes.contains(where: Self.isErrorCode), "\(file.path):\(index + 1): \(line)")
      }
    }
  }

  /// True for error codes of JSON-RPC 2.0 (section 5.1), the native SDK and the daemon.
  private static func isErrorCode(_ number: Int) -> Bool {
    (-32_768...(-32_000)).contains(number) || (10_000...10_024).contains(number)
      || (11_001...11_024).contains(number)
  }

  private static let clients: Set = ["Agent", "AuthctlCommands", "ControlClient"]

  @Test("clients do not use member names as string literals")
  func members() throws {
    let names = Set(
      MethodTable.all.flatMap { $0.properties.map(\.name) + $0.resultMembers }.map { Substring($0) }
    )
    #expect(names.count > 100)
    for file in try Self.users.get() where Self.clients.contains(file.module) {
      guard !Self.looksElsewhere.contains(where: file.path.hasSuffix) else { continue }
      for literal in file.literals where names.contains(literal.text) {
        let isRead = literal.before.hasSuffix("[") && literal.after.hasPrefix("]")
        #expect(!isRead && !literal.after.hasPrefix(": "), "\(literal.place)")
      }
    }
  }
}

/// A string literal without its quotation marks.
private struct Literal {
  let text: Substring
  let before: Substring
  let after: Substring
  let place: String
}

extension SourceFile {
  fileprivate var literals: [Literal] {
    lines.enumerated().flatMap { index, line -> [Literal] in
      let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
      return stride(from: 1, to: parts.count - 1, by: 2).map {
        Literal(
          text: parts[$0],
          before: parts[$0 - 1],
          after: parts[$0 + 1],
          place: "\(path):\(index + 1): \(line)"
        )
      }
    }
  }
}

extension ControlMethod {
  fileprivate static var resultMembers: [String] { Result.schema.memberNames }
}

extension Schema {
  /// The member names of this schema and of all nested schemas.
  fileprivate var memberNames: [String] {
    switch self {
    case .object(let properties): properties.flatMap { [$0.name] + $0.schema.memberNames }
    case .named(let named): named.schema.memberNames
    case .array(let schema), .map(let schema), .nullable(let schema): schema.memberNames
    case .either(let one, let other): one.memberNames + other.memberNames
    case .text, .choice, .instant, .integer, .number, .boolean, .confirmation, .anything: []
    }
  }
}
