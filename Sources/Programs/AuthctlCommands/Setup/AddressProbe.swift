internal import Configuration
internal import ControlClient
internal import WebAddress

/// Requests an address with curl(1), because this program has no network code.
enum AddressProbe {
  private static let limit = Duration.seconds(15)

  enum Outcome {
    case there
    case wrong(SafeText)
    /// curl cannot be started.
    case untried
  }

  /// Requests the address with the proxy and certificates that the courier would use.
  static func ask(
    _ address: String,
    by configuration: Configuration,
    _ waiter: Waiter
  ) throws(Failure) -> Outcome {
    let way = configuration.proxy.map { ["--proxy", $0.text] } ?? ["--noproxy", "*"]
    let authorities = configuration.certificateAuthorityFile.map { ["--cacert", $0] } ?? []
    let run: ToolRun
    do {
      run = try ToolRun(
        "curl",
        [
          "--disable", "--silent", "--max-time", "10", "--proto", "=http,https", "--globoff", "--output",
          "/dev/null", "--write-out", "%{http_code} %{errormsg}\n", "--url", address,
        ] + way + authorities,
        environment: ["LANG=C"],
        input: [],
        maximumLine: 4096,
        waiter,
        until: .after(limit)
      )
    } catch { return .untried }
    guard case .line(let bytes) = try run.line() else { return .wrong("no response in time") }
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ", maxSplits: 1).map(String.init)
    switch parts.first {
    case "200"?: return .there
    case "000"?, nil: return .wrong("\(parts.dropFirst().first ?? "cannot be reached")")
    case let status?: return .wrong("HTTP status \(status) instead of 200")
    }
  }
}
