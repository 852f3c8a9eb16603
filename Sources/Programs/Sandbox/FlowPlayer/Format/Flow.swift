import EventLoop
import HTTPServer

struct FlowCondition: Sendable { let holds: @EventLoop @Sendable (FlowPlay) -> Bool }

struct FlowEffect: Sendable { let apply: @EventLoop @Sendable (FlowPlay) throws(ErrorResponse) -> Void }

struct FlowOutcome: Sendable { let move: @EventLoop @Sendable (FlowPlay) throws(ErrorResponse) -> FlowMove }

extension FlowWord where Meaning == FlowOutcome {
  static var page: FlowWord {
    FlowWord("then") { reader throws(FlowFileError) in
      let page = try reader.target()
      return FlowOutcome { _ in .page(page) }
    }
  }
}

/// Renders the response of a page.
typealias FlowRendering = @EventLoop @Sendable (FlowPlay) throws(ErrorResponse) -> HTTPResponse

enum FlowMove {
  case page(String)
  case response(HTTPResponse)
}

/// One keyword of the format: the name of a member, and the function that reads its value.
struct FlowWord<Meaning>: Sendable {
  let name: String
  let read: @Sendable (FlowReader) throws(FlowFileError) -> Meaning

  init(_ name: String, _ read: @escaping @Sendable (FlowReader) throws(FlowFileError) -> Meaning) {
    self.name = name
    self.read = read
  }
}

/// A kind of page.
///
/// `read` reads only the members that pages of this kind have in addition to the members of every page.
struct FlowPageKind: Sendable {
  let name: String
  /// True if a play is kept after a final page.
  let stays: Bool
  let read: @Sendable (inout FlowMembers) throws(FlowFileError) -> FlowRendering?

  init(
    _ name: String,
    stays: Bool = false,
    _ read: @escaping @Sendable (inout FlowMembers) throws(FlowFileError) -> FlowRendering?
  ) {
    self.name = name
    self.stays = stays
    self.read = read
  }

  /// An invisible page: its rules are followed immediately.
  static let branch = FlowPageKind("branch") { _ in nil }
}

/// A rule of a page; the play follows the first rule with conditions that all hold.
struct FlowRule: Sendable {
  let actions: [String]
  let conditions: [FlowCondition]
  let effects: [FlowEffect]
  let outcome: FlowOutcome

  @EventLoop
  func fits(_ play: FlowPlay) -> Bool { conditions.allSatisfy { $0.holds(play) } }
}

/// One response of the server, with the rules for the client's answers.
struct FlowPage: Sendable {
  let name: String
  /// Renders the page; `nil` for a page with rules that are followed immediately.
  let rendering: FlowRendering?
  let rules: [FlowRule]
  /// Rules for the status of the page's challenge, for pages that clients poll.
  let challenge: [FlowRule]
  let seconds: Int?
  let delay: Int
  /// Values of `Set-Cookie`, and an object of further header fields.
  let cookies: FlowTemplate
  let headers: FlowTemplate

  let isLast: Bool

  /// Available actions, in the order of the rules.
  var actions: [String] {
    rules.flatMap(\.actions).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}

struct Flow: Sendable {
  let id: String
  let kind: FlowKind
  let seconds: Int
  let start: [FlowRule]
  /// Rules that precede the rules of every page.
  let always: [FlowRule]
  let pages: [String: FlowPage]

  var actions: Set<String> { Set(pages.values.flatMap(\.actions)) }
}

/// The protocol of a flow, with the keywords that its files may use.
struct FlowKind: Sendable {
  let name: String
  let pages: [FlowPageKind]
  let outcomes: [FlowWord<FlowOutcome>]
  var challengeOutcomes: [FlowWord<FlowOutcome>] = []
  /// Prepares the play for a page: renews identifiers and other data that change with each page.
  var turn: @EventLoop @Sendable (FlowPlay) -> Void = { _ in }
  /// Returns the response if an effect is impossible or no rule of the page applies.
  let refusal: @EventLoop @Sendable (FlowPlay, ErrorResponse) -> HTTPResponse

  static let all: [FlowKind] = [.daVinci, .journey, .policy]

  static func read(_ reader: FlowReader) throws(FlowFileError) -> FlowKind {
    let name = try reader.text(of: all.map(\.name))
    guard let kind = all.first(where: { $0.name == name }) else { throw reader.failure("is not a kind") }
    return kind
  }
}
