@testable import AuthctlCommands
@testable import Configuration
import ControlAPI
import JSON
import Usage

/// The public interface: the result of `rpc.discover`, the commands and the configuration keys.
struct InterfaceDocument {
  private let document: JSON =
    (try? JSON(parsing: OpenRPC.document(of: MethodTable.all, version: "0").bytes)) ?? .null
  /// The names of the methods.
  let methods = Set(MethodTable.all.map { $0.name })

  /// Returns the fault of a claimed name, or nil if it exists.
  func fault(of claim: String) -> String? {
    let words = claim.split(separator: " ").map(String.init)
    switch words.first {
    case "authctl": return faultOfCommand(words.dropFirst().map(\.self))
    case "mfad.conf":
      return words.count == 2 && ConfigurationKey.all.contains { $0.name == words[1] } ? nil : "no such key"
    case .some(let word) where Int(word) != nil:
      let error = words.count == 2 ? document["components"]?["errors"]?[words[1]] : nil
      return error?["code"]?.int == Int(word) ? nil : "no such error"
    default: return faultOfMethod(claim)
    }
  }

  /// True if no method returns this error.
  func isReserved(_ reason: String) -> Bool {
    document["components"]?["errors"]?[reason]?["x-reserved"] == true
  }

  private func faultOfCommand(_ words: [String]) -> String? {
    let names = words.prefix { !$0.hasPrefix("-") && $0 != $0.uppercased() }
    let command = (1...2).reversed().lazy.compactMap {
      Command.named(names.prefix($0).joined(separator: " "))
    }.first
    guard let command else { return "no such command" }
    let known = (command.options + Option.common).map(\.name)
    return words.first { $0.hasPrefix("--") && !known.contains($0) }.map { "no option \($0)" }
  }

  /// `method`, `method(parameter = VALUE)` or `method → member.member = VALUE`.
  private func faultOfMethod(_ claim: String) -> String? {
    let name = String(claim.prefix { $0 != "(" && $0 != " " })
    let method = document["methods"]?.array?.first { $0["name"]?.string == name }
    guard let method else { return "no such method" }
    var rest = String(claim.dropFirst(name.count))
    guard !rest.isEmpty else { return nil }
    let start: JSON?
    if rest.hasPrefix(" → ") {
      rest.removeFirst(3)
      start = method["result"]?["schema"]
    } else if rest.hasPrefix("("), rest.hasSuffix(")") {
      rest = String(rest.dropFirst().dropLast())
      let parameters = method["params"]?.array ?? []
      let named = parameters.map { ($0["name"]?.string ?? "", $0["schema"] ?? .null) }
      start = ["properties": .object(JSONObject(named))]
    } else {
      return "neither a parameter nor a member"
    }
    let parts = rest.split(separator: " = ", maxSplits: 1).map(String.init)
    let path = parts.first?.split(separator: ".").map(String.init) ?? []
    let shapes = path.reduce(start.map { [$0] } ?? []) { shapes, name in shapes.flatMap { members($0, name) }
    }
    guard !path.isEmpty, !shapes.isEmpty else { return "no such member" }
    guard parts.count == 2 else { return nil }
    return shapes.contains { values($0).contains(parts[1]) } ? nil : "no such value"
  }

  /// Returns the schemas of a member, through references, lists, maps and alternatives.
  private func members(_ schema: JSON, _ name: String) -> [JSON] {
    let own = schema["properties"]?[name].map { [$0] } ?? []
    return own + inner(schema).flatMap { members($0, name) }
  }

  /// Returns the allowed values of a text.
  private func values(_ schema: JSON) -> [String] {
    (schema["enum"]?.array ?? []).compactMap(\.string) + inner(schema).flatMap(values)
  }

  private func inner(_ schema: JSON) -> [JSON] {
    let reference = schema["$ref"]?.string?.split(separator: "/").last.map(String.init)
    let named = reference.flatMap { document["components"]?["schemas"]?[$0] }
    return [named, schema["items"], schema["additionalProperties"]].compactMap(\.self)
      + (schema["anyOf"]?.array ?? [])
  }
}
