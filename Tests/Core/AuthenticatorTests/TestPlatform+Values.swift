import Authenticator
import Configuration
import ControlAPI
import EventLoop

extension TestPlatform {
  /// What the daemon asks for.
  enum Call: Equatable {
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

  /// When the weather strikes: before the platform hears of a call, or before its answer is heard.
  enum Moment {
    case request, reply
  }

  /// What a pairing key sets up.
  struct Pairing {
    var user = User(id: "u-1", username: "ann")
    var environment = "e-1"
    var secret: [UInt8]? = Array("12345678901234567890".utf8)
    var isPushWorking = true
    /// Where the key belongs; `nil` for everywhere.
    var geography: Geography?
  }

  /// A device and a user who was paired with it.
  struct Binding: Hashable {
    let device: String
    let user: String
  }

  /// What a claimed code is.
  struct Code {
    var status = AuthenticationObject.Status.claimed
    var users = [User(id: "u-1", username: "ann")]
    var userApproval = "REQUIRED"
    var lifetime = 120
    var request = "r-1"
    var outcome: AuthenticationObject.Status?
    /// When it is over, once it was claimed.
    var deadline: Duration?
  }
}
