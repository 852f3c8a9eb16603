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

/// What a page answers when it is shown.
typealias FlowRendering = @EventLoop @Sendable (FlowPlay) throws(ErrorResponse) -> HTTPResponse

enum FlowMove {
  case page(String)
  case response(HTTPResponse)
}

/// One word of the format: the name of a member and how its value is read.
struct FlowWord<Meaning>: Sendable {
  let name: String
  let read: @Sendable (FlowReader) throws(FlowFileError) -> Meaning

  init(_ name: String, _ read: @escaping @Sendable (FlowReader) throws(FlowFileError) -> Meaning) {
    self.name = name
    self.read = read
  }
}

/// What a kind of page is written as: its members are read by the kind, besides those that every page has.
struct FlowPageKind: Sendable {
  let name: String
  /// Whether a play is remembered after a page to which nothing can be answered.
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

  /// A page that nobody sees: its rules are followed at once.
  static let branch = FlowPageKind("branch") { _ in nil }
}

/// One of a page's ways on: the first whose conditions hold is taken.
struct FlowRule: Sendable {
  let actions: [String]
  let conditions: [FlowCondition]
  let effects: [FlowEffect]
  let outcome: FlowOutcome

  @EventLoop
  func fits(_ play: FlowPlay) -> Bool { conditions.allSatisfy { $0.holds(play) } }
}

/// One response of the server, and what it makes of the client's answers to it.
struct FlowPage: Sendable {
  let name: String
  /// What is shown; nothing for a page whose rules are followed at once.
  let rendering: FlowRendering?
  let rules: [FlowRule]
  /// What the status of the page's challenge is, for pages that are polled.
  let challenge: [FlowRule]
  let seconds: Int?
  let delay: Int
  /// Lines for `Set-Cookie`, and an object of further header fields.
  let cookies: FlowTemplate
  let headers: FlowTemplate

  let isLast: Bool

  /// What can be done, in the order of the rules.
  var actions: [String] {
    rules.flatMap(\.actions).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}

struct Flow: Sendable {
  let id: String
  let kind: FlowKind
  let seconds: Int
  let start: [FlowRule]
  /// What counts before the rules of any page.
  let always: [FlowRule]
  let pages: [String: FlowPage]

  var actions: Set<String> { Set(pages.values.flatMap(\.actions)) }
}

/// The protocol by which a flow is played, with the words that its files may use.
struct FlowKind: Sendable {
  let name: String
  let pages: [FlowPageKind]
  let outcomes: [FlowWord<FlowOutcome>]
  var challengeOutcomes: [FlowWord<FlowOutcome>] = []
  /// Prepares the play for a page: fresh identifiers, and what else the protocol renews.
  var turn: @EventLoop @Sendable (FlowPlay) -> Void = { _ in }
  /// The response when an effect is not possible or no rule of the page fits.
  let refusal: @EventLoop @Sendable (FlowPlay, ErrorResponse) -> HTTPResponse

  static let all: [FlowKind] = [.daVinci, .journey, .policy]

  static func read(_ reader: FlowReader) throws(FlowFileError) -> FlowKind {
    let name = try reader.text(of: all.map(\.name))
    guard let kind = all.first(where: { $0.name == name }) else { throw reader.failure("is no kind") }
    return kind
  }
}
