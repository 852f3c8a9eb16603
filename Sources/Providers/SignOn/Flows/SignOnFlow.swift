internal import ControlAPI
internal import EventLoop
internal import JSON
internal import JSONRPC

/// One way to sign on: it asks the server for steps and answers them.
@EventLoop
protocol SignOnFlow: StepPlayer {
  /// Asks for the first step.
  func start() async throws -> Step
}

/// The steps of a sign-on from the first one on.
///
/// A step that the server answers badly throws a `SignOnFailure`, which ends the sign-on. Another error leaves the
/// step as it was, so that it can be answered again.
@EventLoop
protocol StepPlayer: AnyObject {
  /// What the steps are called that the server plays.
  var method: LoginMethod { get }
  /// Answers the step that waits.
  func next(_ input: StepInput) async throws -> Step
  /// Goes on from an address that a person brings.
  func resume(_ address: String) async throws -> Step
  /// Lets go of what would outlast the sign-on.
  func end()
}

extension StepPlayer {
  func resume(_ address: String) async throws -> Step { throw RPCError.conflict }
  func end() {}
}

/// What a caller gives to a step.
struct StepInput: Sendable {
  /// The values by the keys of the collectors.
  var values: JSONObject = [:]
  /// The action that was chosen, if one was.
  var action: String?

  /// Refuses what is given to a step that only waits.
  func requireNone() throws(RPCError) {
    guard values.isEmpty else { throw .invalidParameter("values") }
    guard action == nil else { throw .invalidParameter("action") }
  }
}

extension SignOnPage {
  /// The most fields of a page; no person fills in more.
  static let maximumFields = 64
}

/// Where a sign-on stands after a response of the server.
enum Step: Sendable {
  /// It wants input, or waits.
  case page(SignOnPage)
  /// The input was wrong, and the same is wanted again.
  case wrong(SignOnPage)
  /// It is over and has to be started again.
  case failure(SignOnFailure)
  /// It is done; with tokens, if the way to sign on gives any.
  case done(Tokens?)
  /// It is done, and so is what was to be done with the devices of its user.
  case managed(User?, DeviceOutcome)
}

/// The ways to sign on by their names.
enum FlowTable {
  typealias Make = @EventLoop @Sendable (Login) throws -> any SignOnFlow

  static let all: [LoginMethod: Make] = [
    .signon: { try PiFlow($0, method: .signon) },
    .davinci: { try PiFlow($0, method: .davinci) },
    .redirect: { try BrowserFlow($0) },
    .journey: { try JourneyFlow($0) },
    .device: { try DeviceFlow($0) },
  ]
}
