internal import JSON

/// How a step is answered.
enum Reply {
  case next(values: JSONObject, action: String?)
  /// With the address that a browser ended at or that came by e-mail.
  case resume(address: String)

  var method: String {
    switch self {
    case .next: "login.next"
    case .resume: "login.resume"
    }
  }

  func params(login: JSON) -> JSONObject {
    switch self {
    case .resume(let address): return ["login": login, "uri": .string(address)]
    case .next(let values, let action):
      var params: JSONObject = ["login": login]
      if !values.isEmpty { params["values"] = .object(values) }
      params["action"] = action.map { .string($0) }
      return params
    }
  }
}
