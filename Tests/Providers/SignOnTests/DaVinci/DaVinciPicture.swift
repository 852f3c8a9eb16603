import ControlAPI
import JSON
import Testing
import WebAddress

@testable import SignOn

/// A page as shown to the user, as readable lines.
enum DaVinciPicture {
  static func lines(_ page: SignOnPage) -> [String] {
    var lines: [String] = []
    if let title = page.title { lines.append("# " + title) }
    if let description = page.description { lines.append("## " + description) }
    if let message = page.message { lines.append("! " + message) }
    if let address = page.browserURL { lines.append("-> " + address) }
    return lines + page.collectors.map(line)
      + page.actions.map { "[\($0.label)] \($0.key) \($0.kind.name)" }
  }

  static func line(_ collector: Collector) -> String {
    var line = "\(collector.key): \(collector.type)"
    if let label = collector.label { line += " '\(label)'" }
    if collector.isRequired { line += " required" }
    if collector.isSecret { line += " secret" }
    if !collector.options.isEmpty {
      line += " of " + collector.options.map { "\($0.value)=\($0.label)" }.joined(separator: "|")
    }
    if let value = collector.value { line += " = \(value.text)" }
    if let pattern = collector.validation?.pattern { line += " ~ \(pattern)" }
    if let message = collector.validation?.message { line += " ~! \(message)" }
    if collector.raw != nil { line += " raw" }
    if let message = collector.message { line += " ! \(message)" }
    return line
  }

  static func lines(_ status: Int, _ json: JSON) throws -> [String] {
    let address = json["_links"]?["next"]?["href"]?.string ?? "https://auth.pingone.ca/"
    let origin = try #require(WebURL(address)).origin
    do throws(SignOnFailure) {
      switch try DaVinciResponse(status: status, json, origin: origin) {
      case .page(let page): return ["continue"] + lines(page.shown)
      case .again: return ["again"]
      case .wrong(let problem):
        return ["error", "! " + problem.message] + problem.fields.map { "\($0.target) ! \($0.message)" }
      case .done(let response): return ["success", response?["code"]?.string ?? "-"]
      }
    } catch {
      return ["failure", error.cause, error.message]
    }
  }

  /// A response of a server with these fields.
  static func json(_ fields: JSON..., values: JSON = [:]) -> JSONObject {
    [
      "_links": ["next": ["href": "https://auth.pingone.ca/e/davinci/connections/c"]],
      "form": ["components": ["fields": .array(fields)]], "formData": ["value": values],
    ]
  }

  /// A page with one field.
  static func page(_ field: JSON, values: JSON = [:]) throws -> DaVinciPage {
    try page(of: json(field, values: values))
  }

  /// The page of a server's response.
  static func page(of json: JSONObject) throws -> DaVinciPage {
    try DaVinciPage(.object(json), origin: try #require(WebURL("https://auth.pingone.ca/")).origin)
  }
}
