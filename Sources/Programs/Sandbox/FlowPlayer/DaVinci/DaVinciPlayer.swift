import HTTPServer
import JSON

extension FlowKind {
  /// DaVinci's interface for native clients, `response_mode=pi.flow`.
  static let daVinci = FlowKind(
    name: "davinci",
    pages: [DaVinciPages.form, DaVinciPages.success, DaVinciPages.failure, .branch] + HostilePages.kinds,
    outcomes: [.page, DaVinciOutcomes.refuse, DaVinciOutcomes.invalid, DaVinciOutcomes.rewind],
    challengeOutcomes: DaVinciOutcomes.challenge,
    turn: { play in
      play.turn = FlowTurn(
        node: randomText(10, of: "abcdefghijklmnopqrstuvwxyz0123456789"),
        token: randomText(256, of: "0123456789abcdef")
      )
    },
    refusal: { play, error in
      play.daVinciError(error.status, code: error.code, message: error.exactMessage)
    }
  )
}

extension Call {
  func play(_ flow: Flow, for request: AuthorizationRequest) async -> HTTPResponse {
    guard isFromSDK else { return .screen }
    let session = request.prompt == .login ? nil : tenant.session(of: self.request)
    let play = FlowPlay(flow, of: tenant, authorization: request, session: session)
    play.languages = languages
    let response = await play.begin()
    guard request.prompt == AuthorizationRequest.Prompt.none, play.user == nil else { return response }
    play.end()
    return .plain(200, .loginRequired)
  }

  /// Whether the client is one that understands forms as JSON.
  var isFromSDK: Bool { request.headers["x-requested-with"] == "ping-sdk" }

  /// The languages that the client wants, best first.
  var languages: [String] {
    let ranges = request.headers.values("accept-language").joined(separator: ",").split(separator: ",")
    let weighed = ranges.map { range -> (tag: String, weight: Double) in
      let parts = range.split(separator: ";").map { String($0.filter { $0 != " " }) }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
      return (parts.first ?? "", weight ?? 1)
    }
    // The order of equals is the client's own.
    return weighed.enumerated().sorted { one, other in
      (other.element.weight, one.offset) < (one.element.weight, other.offset)
    }.map(\.element.tag)
  }
}

extension HTTPResponse {
  static let screen = content(
    "text/html; charset=utf-8",
    Array("<!DOCTYPE html><title>Sign on</title><p>This page is for browsers.</p>\n".utf8)
  )
}
