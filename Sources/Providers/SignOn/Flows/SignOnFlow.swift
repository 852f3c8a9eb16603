internal import ControlAPI
internal import EventLoop
internal import JSON
internal import JSONRPC

/// A sign-on method: requests steps from the server and answers them.
@EventLoop
protocol SignOnFlow: StepPlayer {
  /// Requests the first step.
  func start() async throws -> Step
}

/// Processes the steps of a sign-on after the first request.
///
/// A thrown `SignOnFailure` ends the sign-on. After any other error the client can answer the step again.
@EventLoop
protocol StepPlayer: AnyObject {
  /// The method that the server's steps belong to.
  var method: LoginMethod { get }
  /// Answers the current step.
  func next(_ input: StepInput) async throws -> Step
  /// Continues from an address that the user supplies.
  func resume(_ address: String) async throws -> Step
  /// Releases resources that would outlive the sign-on.
  func end()
}

extension StepPlayer {
  func resume(_ address: String) async throws -> Step { throw RPCError.conflict }
  func end() {}
}

/// The client's answer to a step.
struct StepInput: Sendable {
  /// Values by the keys of their collectors.
  var values: JSONObject = [:]
  /// The chosen action, if any.
  var action: String?

  /// Throws an error if there is input; for steps that only wait.
  func requireNone() throws(RPCError) {
    guard values.isEmpty else { throw .invalidParameter("values") }
    guard action == nil else { throw .invalidParameter("action") }
  }
}

extension SignOnPage {
  /// Maximum number of fields of a page, more than a user fills in.
  static let maximumFields = 64
  /// Maximum number of options of all fields of a page.
  static let maximumOptions = 4096
}

extension Sequence where Element == Collector {
  /// Throws `tooLarge` if the fields of a page have too many options.
  func requireFewOptions() throws(SignOnFailure) {
    guard reduce(0, { $0 + $1.options.count }) <= SignOnPage.maximumOptions else { throw .tooLarge }
  }
}

/// State of a sign-on after a response of the server.
enum Step: Sendable {
  /// The sign-on needs input or waits.
  case page(SignOnPage)
  /// The input was wrong and is requested again.
  case wrong(SignOnPage)
  /// The sign-on failed and must be started again.
  case failure(SignOnFailure)
  /// The sign-on succeeded, with tokens if its method issues them.
  case done(Tokens?)
  /// The sign-on succeeded and the device changes were carried out.
  case managed(User?, DeviceOutcome)
}

/// The sign-on flows by method.
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
