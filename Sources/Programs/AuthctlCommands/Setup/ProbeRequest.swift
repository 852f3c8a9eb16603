internal import Configuration
internal import ControlClient
internal import WebAddress

/// A request with curl(1), because this program has no network code.
struct ProbeRequest {
  private static let limit = Duration.seconds(15)
  /// Maximum size of a response in bytes.
  private static let maximumSize = 1 << 20

  enum Outcome {
    case response(status: String, body: [UInt8])
    case failed(SafeText)
    /// curl cannot be started.
    case untried
  }

  let url: String
  var arguments: [String] = []

  /// Sends the request with the proxy and certificates that the courier would use.
  func send(by configuration: Configuration, _ waiter: Waiter) throws(Failure) -> Outcome {
    let way = configuration.proxy.map { ["--proxy", $0.text] } ?? ["--noproxy", "*"]
    let authorities = configuration.certificateAuthorityFile.map { ["--cacert", $0] } ?? []
    let run: ToolRun
    do {
      run = try ToolRun(
        "curl",
        [
          "--disable", "--silent", "--max-time", "10", "--proto", "=http,https", "--globoff",
          "--write-out", "\n%{http_code} %{errormsg}\n", "--url", url,
        ] + arguments + way + authorities,
        environment: ["LANG=C"],
        input: [],
        maximumLine: Self.maximumSize,
        waiter,
        until: .after(Self.limit)
      )
    } catch { return .untried }
    var (lines, size, hasEnded) = ([ArraySlice<UInt8>](), 0, false)
    while !hasEnded {
      switch try run.line() {
      case .line(let line) where size <= Self.maximumSize:
        lines.append(line)
        size += line.count + 1
      case .end: hasEnded = true
      case .timedOut: return .failed("no response in time")
      default: return .failed("the response is too long")
      }
    }
    guard let last = lines.popLast() else { return .failed("cannot be reached") }
    let words = String(decoding: last, as: UTF8.self).split(separator: " ", maxSplits: 1).map(String.init)
    guard let status = words.first, status != "000" else {
      return .failed("\(words.dropFirst().first ?? "cannot be reached")")
    }
    return .response(status: status, body: Array(lines.joined(separator: [UInt8(ascii: "\n")])))
  }
}
