internal import ControlAPI

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
