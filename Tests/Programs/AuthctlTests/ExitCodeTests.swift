@testable import AuthctlCommands
import ControlClient
@testable import ControlAPI
import JSON
import JSONRPC
import Testing

@Suite("exit codes")
struct ExitCodeTests {
  /// Exit codes that scripts rely on.
  ///
  /// Every other error exits with 1.
  private static let codes: [Int: Int32] = [
    10003: 10, 10004: 10, 10005: 15, 10008: 8, 10009: 12, 10011: 15, 10018: 8, 10020: 13, 11001: 4, 11002: 5,
    11003: 13, 11004: 12, 11005: 9, 11006: 14, 11007: 16, 11008: 16, 11009: 15, 11012: 9, 11013: 9, 11014: 9,
    11016: 14, 11017: 17, 11018: 9, 11019: 18, 11020: 18, 11021: 19, 11022: 19, 11023: 19, 11024: 20,
    -32602: 2,
  ]

  @Test("each error of the daemon has its exit code, independent of reason and message")
  func daemon() throws {
    let known = (RPCError.documented + RPCError.reserved).map(\.code)
    #expect(Set(Self.codes.keys).isSubset(of: known))
    for code in known + [0, 99_999] {
      let error = try RPCError(reading: ["code": .int(code), "message": "m"])
      #expect(error.exitCode.rawValue == Self.codes[code] ?? 1, "\(code)")
    }
  }

  @Test("each local failure has the exit code of its kind")
  func local() {
    let expected: [Failure.Reason: Int32] = [
      .alreadyAnswered: 13, .ambiguous: 17, .auditBroken: 1, .cancelled: 1, .denied: 6, .expired: 12,
      .notConfigured: 8, .notFound: 5,
      .notTheDaemon: 11, .output: 1, .pairingFailed: 1, .permissionDenied: 4, .platformUnreachable: 10,
      .pushTestFailed: 1, .signOnFailed: 1, .timedOut: 7, .toolMissing: 1, .unreachable: 3,
      .usage: 2,
    ]
    for reason in Failure.Reason.allCases { #expect(reason.exitCode.rawValue == expected[reason]) }
  }

  @Test("each local failure has a hint that equals the documentation")
  func nextSteps() throws {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
    let folder = "\(parts.joined(separator: "/"))/Sources/Programs/Daemon/Documentation.docc"
    let article = try InputFile("\(folder)/Troubleshooting.md")
    let lines = String(decoding: article.bytes, as: UTF8.self).split(separator: "\n")
    for reason in Failure.Reason.allCases {
      let next = reason.hint.text.replacing("\"", with: "`")
      let row = lines.filter { $0.hasPrefix("| `\(reason.rawValue)` | ") }
      #expect(row.count == 1 && row.first?.hasSuffix(" | \(next) |") == true, "\(reason.rawValue): \(next)")
      guard case .failed(let complaint) = Failure.local(reason, "m") else { continue }
      #expect(complaint.hint == reason.hint)
    }
  }

  @Test("a failure's own hint replaces the default hint")
  func ownStep() {
    guard case .failed(let complaint) = Failure.local(.usage, "m", hint: "own") else { return }
    #expect(complaint.hint == "own")
  }

  @Test("exit codes are 0 to 21 and 130, with distinct meanings")
  func complete() {
    #expect(ExitCode.allCases.map(\.rawValue) == Array(0...21) + [130])
    #expect(Set(ExitCode.allCases.map(\.meaning)).count == 23)
  }
}
