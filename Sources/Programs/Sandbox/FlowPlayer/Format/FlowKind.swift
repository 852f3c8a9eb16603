import EventLoop
import HTTPServer

/// The protocol by which a flow is played, with the words that its files may use.
struct FlowKind: Sendable {
  let name: String
  let pages: [FlowPageKind]
  let outcomes: [FlowWord<FlowOutcome>]
  var challengeOutcomes: [FlowWord<FlowOutcome>] = []
  /// Prepares the play for a page: fresh identifiers, and what else the protocol renews.
  var turn: @EventLoop @Sendable (FlowPlay) -> Void = { _ in }
  /// The response when an effect is not possible or no rule of the page fits.
  let refusal: @EventLoop @Sendable (FlowPlay, Refusal) -> HTTPResponse

  static let all: [FlowKind] = [.daVinci, .journey, .policy]

  static func read(_ reader: FlowReader) throws(FlowFileError) -> FlowKind {
    let name = try reader.text(of: all.map(\.name))
    guard let kind = all.first(where: { $0.name == name }) else { throw reader.failure("is no kind") }
    return kind
  }
}
