import EventLoop
import JSON
import Usage

/// Moves the clock that decides when things expire.
struct ClockCommand: RunningCommand {
  private enum Move {
    case by(seconds: Int)
    case reset
  }

  let common: CommonArguments
  private let move: Move?

  init(_ arguments: Arguments) throws(UsageError) {
    common = try CommonArguments(arguments)
    move = try arguments.words.first.map { (text) throws(UsageError) in try Self.read(text) }
  }

  static let usage = ProgramUsage(
    command: "clock",
    "moves the clock that decides when things expire",
    """
    Moves the clock that decides when keys, codes, pushes, locks and tokens expire. The real clock still checks proofs
    and dates signatures. MOVE is a signed number with s, m, h or d, such as +1h or -1d, or reset. Without MOVE, the
    command prints how far the clock is ahead.
    """,
    operands: ["[MOVE]"],
    choices: ["reset"]
  )

  func act(on sandbox: RunningSandbox) async throws -> Report {
    var clock = try await sandbox.ask("GET", "/sandbox/clock")
    if let move {
      let lead =
        switch move {
        case .by(let seconds): (clock["lead"]?.int ?? 0) + seconds
        case .reset: 0
        }
      clock = try await sandbox.ask("POST", "/sandbox/clock", ["lead": .int(lead)])
    }
    let lead = clock["lead"]?.int ?? 0
    return Report(lines: [lead < 0 ? "\(-lead) seconds behind" : "\(lead) seconds ahead"], json: clock)
  }

  private static func read(_ text: String) throws(UsageError) -> Move {
    if text == "reset" { return .reset }
    let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    guard text.hasPrefix("+") || text.hasPrefix("-"), text.utf8.count <= 12,
      let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast())
    else { throw UsageError("the clock is moved by +90s, -5m, +1h, -1d or reset, not \"\(text)\"") }
    return .by(seconds: count * unit)
  }
}
