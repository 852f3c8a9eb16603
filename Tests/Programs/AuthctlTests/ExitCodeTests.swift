import AuthctlCommands
import Testing

@Suite("Exit codes")
struct ExitCodeTests {
  @Test(
    "each error of the daemon has the exit code of section 7",
    arguments: [
      -32700: 1, -32600: 1, -32601: 1, -32602: 1, -32603: 1, 10000: 1, 10001: 1, 10002: 1, 10003: 10,
      10004: 10,
      10005: 15, 10006: 1, 10007: 1, 10008: 8, 10009: 12, 10010: 1, 10011: 15, 10012: 1, 10013: 1, 10014: 1,
      10015: 1, 10016: 1, 10017: 1, 10018: 8, 10019: 1, 10020: 13, 10021: 1, 10022: 1, 10023: 1, 10024: 1,
      11001: 4, 11002: 5, 11003: 13, 11004: 12, 11005: 9, 11006: 14, 11007: 16, 11008: 16, 11009: 15,
      11010: 1,
      11011: 1, 11012: 9, 11013: 9, 11014: 9, 11015: 1, 11016: 14, 11017: 5, 11018: 9, 0: 1, 99999: 1,
    ] as [Int: Int32]
  )
  func daemon(code: Int, exit: Int32) {
    #expect(ExitCode(errorCode: code).rawValue == exit)
  }

  @Test("each failure on this side has the exit code of its kind")
  func local() {
    let expected: [Failure.Reason: Int32] = [
      .alreadyAnswered: 13, .ambiguous: 5, .cancelled: 1, .denied: 6, .expired: 12, .notFound: 5,
      .notTheDaemon: 11, .output: 1, .pairingFailed: 1, .permissionDenied: 4, .pushTestFailed: 1,
      .signOnFailed: 1,
      .timedOut: 7, .unreachable: 3, .usage: 2,
    ]
    for reason in Failure.Reason.allCases { #expect(ExitCode(reason).rawValue == expected[reason]) }
  }

  @Test("the codes are 0 to 16, each with a meaning of its own")
  func complete() {
    #expect(ExitCode.allCases.map(\.rawValue) == Array(0...16))
    #expect(Set(ExitCode.allCases.map(\.meaning.text)).count == 17)
  }
}
