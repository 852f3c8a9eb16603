import ControlAPI
import CourierProtocol
import JSON

@testable import SignOn

/// A response of a journey's server in one line: its meaning, the page, and the values sent without user
/// input.
enum JourneySummary {
  private static let context = JourneyContext(allowsLoopbackHTTP: true)

  /// Summarizes a response with this status and body.
  static func of(_ status: Int, _ body: JSON) -> String {
    let response = CourierResponse(status: status, headers: [], body: body.serialized)
    do {
      switch try JourneyResponse(response) {
      case .done(let session): return session.map { "session \($0.token)" } ?? "no session"
      case .step(let document):
        let step = try JourneyStep(document, context)
        return ([heading(step)] + step.page(nil).collectors.map(collector) + [try reply(step, document)])
          .filter { !$0.isEmpty }.joined(separator: "; ")
      }
    } catch let failure as SignOnFailure {
      return "failure \(failure.cause) \(quoted(failure.message))"
    } catch { return "error \(error)" }
  }

  private static func heading(_ step: JourneyStep) -> String {
    let page = step.page(nil)
    let parts = [("title", page.title), ("description", page.description), ("stage", page.stage)]
      .compactMap { name, value in value.map { "\(name) \(quoted($0))" } }
    return (["step"] + parts).joined(separator: " ")
  }

  private static func collector(_ collector: Collector) -> String {
    var parts = [collector.type, collector.key]
    if let label = collector.label { parts.append(quoted(label)) }
    if collector.isRequired { parts.append("required") }
    if collector.isSecret { parts.append("secret") }
    if !collector.options.isEmpty {
      parts.append(
        "options " + collector.options.map { "\($0.value)=\(quoted($0.label))" }.joined(separator: ",")
      )
    }
    if let value = collector.value { parts.append("value \(short(value.text))") }
    if let pattern = collector.validation?.pattern { parts.append("pattern \(quoted(pattern))") }
    if let rule = collector.validation?.message { parts.append("rule \(quoted(rule))") }
    if let message = collector.message { parts.append("message \(quoted(message))") }
    if collector.raw != nil { parts.append("raw") }
    return parts.joined(separator: " ")
  }

  private static func reply(_ step: JourneyStep, _ document: JSON) throws -> String {
    switch step.wait {
    case .time(let time): return "waits \(time)"
    case .address(let browser): return "waits for an address" + (browser.map { " of \(short($0))" } ?? "")
    case nil: break
    }
    switch try step.reply([:]) {
    case .missing(let missing): return "misses " + missing.keys.sorted().joined(separator: ",")
    case .body(let body):
      // An omitted callback has no inputs, so the remaining inputs keep their positions.
      let (sent, came) = (inputs(body), inputs(document))
      let changes = zip(sent, came).filter { $0 != $1 }.map(\.0)
      let count = (document["callbacks"]?.array?.count ?? 0) - (body["callbacks"]?.array?.count ?? 0)
      let kept = changes.map { "\($0.0)=\(short($0.1.text))" }
      return (kept.isEmpty ? "" : "sends " + kept.joined(separator: ","))
        + (count > 0 ? "\(kept.isEmpty ? "" : ", ")leaves out \(count)" : "")
    }
  }

  private static func inputs(_ document: JSON) -> [(String, JSON)] {
    (document["callbacks"]?.array ?? []).flatMap { $0["input"]?.array ?? [] }
      .map { ($0["name"]?.string ?? "?", $0["value"] ?? .null) }
  }

  private static func quoted(_ text: String) -> String { "\"\(short(text))\"" }

  private static func short(_ text: String) -> String {
    text.count > 70 ? "\(text.prefix(60))… (\(text.count))" : text.replacing("\n", with: "\\n")
  }
}
