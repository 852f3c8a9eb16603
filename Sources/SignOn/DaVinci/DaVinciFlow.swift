internal import ControlAPI
internal import CourierProtocol
internal import EventLoop

/// A sign-on that plays the pages of a DaVinci flow.
@EventLoop
final class DaVinciFlow: SignOnFlow {
  private let login: Login

  init(_ login: Login) { self.login = login }

  var method: LoginMethod { .davinci }

  func start() async throws -> Step { throw SignOnFailure.malformed }

  /// Takes the server's answer to the authorization request.
  func take(_ response: CourierResponse) async throws -> Step {
    throw SignOnFailure.unsupported("this sign-on is a DaVinci flow")
  }

  func next(_ answers: Answers) async throws -> Step { throw SignOnFailure.malformed }
}
