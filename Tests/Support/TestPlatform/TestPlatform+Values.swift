internal import Approvals
package import Configuration
package import ControlAPI
internal import EventLoop

extension TestPlatform {
  /// Calls of the daemon.
  package enum Call: Equatable {
    case trust, keys, registerPush, testPush, sendLogs
    case info(Geography)
    case pair(String)
    case checkPasscode
    case pushes(cursor: String?)
    case status(String)
    case answer(String)
    case claim(String)
    case answerCode(String)
    case setNickname(String)
    case unpair(String)
    case rotateKeys
  }

  /// The time of an injected fault: before the platform receives a call, or before its reply arrives.
  package enum Moment: Sendable {
    case request, reply
  }

  /// A received push channel, with its token.
  package struct Channel {
    package let geography: Geography
    package let provider: PushProvider?
    package let environment: PushEnvironment?
    package let isAllowed: Bool
    package let token: String?
  }

  /// The enrolment of a pairing key.
  package struct Pairing {
    package var user = User(id: "u-1", username: "ann")
    package var environment = "e-1"
    package var secret: [UInt8]? = Array("12345678901234567890".utf8)
    package var isPushWorking = true
    /// The geography of the key; `nil` if it is valid in all.
    package var geography: Geography?

    package init(
      user: User = User(id: "u-1", username: "ann"),
      secret: [UInt8]? = Array("12345678901234567890".utf8),
      geography: Geography? = nil
    ) {
      (self.user, self.secret, self.geography) = (user, secret, geography)
    }
  }

  /// A device and a user that is paired with it.
  package struct Binding: Hashable {
    package let device: String
    package let user: String

    package init(device: String, user: String) { (self.device, self.user) = (device, user) }
  }

  /// The data of a claimed code.
  package struct Code {
    package var status = AuthenticationObject.Status.claimed
    package var users = [User(id: "u-1", username: "ann")]
    package var userApproval = "REQUIRED"
    package var lifetime = 120
    package var request = "r-1"
    package var outcome: AuthenticationObject.Status?
    /// The end of its validity, after it was claimed.
    var deadline: Duration?

    package init(
      users: [User] = [User(id: "u-1", username: "ann")],
      lifetime: Int = 120,
      request: String = "r-1"
    ) {
      (self.users, self.lifetime, self.request) = (users, lifetime, request)
    }
  }
}
