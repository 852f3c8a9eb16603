import EventLoop
import HTTPServer
import JSON

extension ConsoleSection {
  /// The settings of the environment, as one form.
  static let settings = ConsoleSection(
    title: "Settings",
    path: "\(base)/settings",
    routes: SettingsPage.routes
  )
}

@EventLoop
enum SettingsPage {
  private nonisolated static let path = "\(ConsoleSection.base)/settings"

  static let routes: [Route<Endpoint>] = [
    .page(path, show),
    .form(path) { (visit, form) throws(ErrorResponse) in
      var document: JSONObject = [:]
      for (path, input) in EnvironmentSettings.parts.flatMap(\.members) {
        var value = try input.value(form, path.joined(separator: "."))
        if case .json = input { value = value.replacing(visit.tenant.settings.json[path]) }
        document = document.putting(value, at: path)
      }
      try await visit.call.ask("PATCH", "/sandbox/settings", .object(document))
      return path
    },
    .form("\(path)/reset") { (visit, _) throws(ErrorResponse) in
      try await visit.call.ask("PATCH", "/sandbox/settings", .null)
      return path
    },
  ]

  private static func show(_ visit: Visit) -> ConsolePage {
    let settings = visit.tenant.settings.json
    let fields = EnvironmentSettings.parts.flatMap { part, members -> [HTML] in
      [.element("h2", HTML(part))]
        + members.map { path, input in input.html(path.joined(separator: "."), value: settings[path]) }
    }
    return ConsolePage(
      "Settings",
      .element("p", "An empty field means the default. An empty list means no entries."),
      visit.form(path, "Save", fields),
      visit.button("Reset all to the defaults", "\(path)/reset")
    )
  }
}

extension JSON {
  fileprivate subscript(_ path: [String]) -> JSON? { path.reduce(self) { $0?[$1] } }

  /// Returns the merge patch that changes `old` to this object.
  fileprivate func replacing(_ old: JSON?) -> JSON {
    guard var members = object else { return self }
    for name in old?.object?.names ?? [] where members[name] == nil { members[name] = .null }
    return .object(members)
  }
}

extension FormInput {
  /// Returns the form field of a setting; the name of the setting in the document is also the label.
  fileprivate func html(_ name: String, value: JSON?) -> HTML {
    switch self {
    case .box: return .box(name, name, isTicked: value?.bool ?? false)
    case .number: return .field(name, name, type: "number", value: value?.int.map { "\($0)" })
    case .text: return .field(name, name, value: value?.string)
    case .choice(let options):
      let all = [(value: "", label: "")] + options.map { (value: $0, label: $0) }
      return .choice(name, name, all, chosen: value?.string)
    case .span(let names):
      let amount = value?[names.rawValue]?.int.map { "\($0) \(value?[names.unit]?.string ?? "")" }
      return .field(name, name, value: amount)
    case .list:
      return .field(name, name, value: value?.array?.compactMap(\.string).joined(separator: " "))
    case .json: return .field(name, name, value: value?.text)
    }
  }

  /// Returns the value of a form field, null for an empty field.
  fileprivate func value(_ form: ConsoleForm, _ name: String) throws(ErrorResponse) -> JSON {
    if case .box = self { return .bool(form.isTicked(name)) }
    if case .number = self { return try form.int(name).map { .int($0) } ?? .null }
    if case .list = self { return .strings((form.text(name) ?? "").split(separator: " ").map { String($0) }) }
    guard let text = form.text(name) else { return .null }
    switch self {
    case .box, .number, .text, .choice, .list: return .string(text)
    case .span(let names):
      let words = text.split(separator: " ")
      guard words.count == 2, let amount = Int(words[0]) else {
        throw .invalid(name, "must be a number and a unit, like 90 SECONDS")
      }
      return .object(JSONObject([(names.rawValue, .int(amount)), (names.unit, .string(String(words[1])))]))
    case .json:
      guard let value = try? JSON(parsing: text) else { throw .invalid(name, "must be JSON") }
      return value
    }
  }
}
