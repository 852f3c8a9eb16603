import EventLoop
import HTTPServer
import JSON

/// The page that asks for something: callbacks, with what a page node says around them.
enum JourneyPage {
  static let kind = FlowPageKind("callbacks") { members throws(FlowFileError) in
    let callbacks = try callbacks(try members.required("callbacks"))
    var texts: [(String, FlowTemplate)] = []
    for name in ["stage", "header", "description"] {
      if let text = try members.optional(name)?.template() { texts.append((name, text)) }
    }
    let more = try members.optional("more")?.template()
    let around = texts
    return { play in
      let written = callbacks.json(in: play).array ?? []
      let failed = play.takeFailedPolicies()
      play.turn.callbacks = written.enumerated().map { index, callback in
        JourneyCallback.expand(callback.object ?? [:], at: index, failed: failed["IDToken\(index + 1)"])
      }
      var body: JSONObject = [
        "authId": .string(play.turn.token), "callbacks": .array(play.turn.callbacks),
      ]
      for (name, text) in around { body[name] = text.json(in: play) }
      for member in more?.json(in: play).object?.members ?? [] { body[member.name] = member.value }
      return .plain(200, .object(body))
    }
  }

  private static func callbacks(_ reader: FlowReader) throws(FlowFileError) -> FlowTemplate {
    let known = Set(JourneyCallback.all.map(\.type))
    for callback in try reader.elements() {
      guard let object = callback.value.object, let type = object["type"]?.string else {
        throw callback.failure("needs a type")
      }
      guard JourneyCallback.isVerbatim(object) || known.contains(type) else {
        throw callback.failure("\(type) is not known here, so that it needs output and input")
      }
    }
    return try reader.template()
  }
}

extension FlowOutcome {
  /// The same page again, with the policies that its values failed.
  static let failedPolicies = FlowWord<FlowOutcome>("failedPolicies") { reader throws(FlowFileError) in
    var members = try reader.members()
    var failures: [(name: String, policies: FlowTemplate)] = []
    for (name, policies) in members.rest() {
      _ = try policies.elements()
      failures.append((name, try policies.template()))
    }
    let found = failures
    return FlowOutcome { play throws(PingOneError) in
      guard let page = play.page else { throw .unexpected }
      for (name, policies) in found {
        play.failedPolicies[name] = policies.json(in: play).array?.map { policy in
          // AM sends each as text.
          .string((policy.string.map { ["policyRequirement": .string($0)] } ?? policy).text)
        }
      }
      return .page(page.name)
    }
  }
}

extension FlowPlay {
  fileprivate func takeFailedPolicies() -> [String: [JSON]] {
    defer { failedPolicies = [:] }
    return failedPolicies
  }
}
