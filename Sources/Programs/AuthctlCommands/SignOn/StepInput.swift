internal import ControlAPI
internal import JSON

enum StepInput {
  case next(values: JSONObject, action: String?)
  /// With the address that a browser ended at or that came by e-mail.
  case resume(address: String)

  func call(_ login: String, _ presence: PresenceClaim?) -> any ControlMethod {
    switch self {
    case .next(let values, let action):
      LoginNext(login: login, values: values, action: action, presence: presence)
    case .resume(let address): LoginResume(login: login, address: address)
    }
  }
}
