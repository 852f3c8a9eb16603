internal import ControlAPI
internal import JSON
internal import JSONRPC
internal import Text

extension PolicyStep {
  /// The values of a step: all that are asked for, no others, and none that is missing.
  static func values(_ given: JSONObject, for collectors: [Collector]) throws -> JSONObject {
    let keys = Set(collectors.map(\.key))
    guard Set(given.names).isSubset(of: keys) else { throw RPCError.invalidParameter("values") }
    var values = JSONObject()
    for collector in collectors {
      guard let value = given[collector.key] ?? collector.value else {
        if collector.isRequired { throw RPCError.invalidParameter("values") }
        continue
      }
      if collector.type == "BooleanCollector" {
        guard let flag = value.bool ?? value.string.flatMap({ Bool($0) }) else {
          throw RPCError.invalidParameter("values")
        }
        values[collector.key] = .bool(flag)
        continue
      }
      guard let text = value.string, !(collector.isRequired && text.isEmpty),
        collector.options.isEmpty || collector.options.contains(where: { $0.value == text })
      else { throw RPCError.invalidParameter("values") }
      values[collector.key] = value
    }
    return values
  }

  /// What to tell a person whose input the issuer refused; `nil` when it refused something else.
  static func wrongInput(_ error: JSON) -> String? {
    guard let detail = error["details"]?.array?.first else { return nil }
    if ["username", "password"].contains(detail["target"]?.string ?? "") {
      return "the username or password is not right"
    }
    return (detail["message"]?.string ?? error["message"]?.string).map { DisplayText.clean($0) }
  }
}
