import EventLoop
import JSON

/// The keywords of effects; each effect is an object with one member.
enum FlowEffects {
  static let words: [FlowWord<FlowEffect>] = general + users + devices + factors + keys

  static func read(_ reader: FlowReader) throws(FlowFileError) -> [FlowEffect] {
    try reader.elements().map { element throws(FlowFileError) in
      var members = try element.members()
      let entries = members.rest()
      guard entries.count == 1, let word = words.first(where: { $0.name == entries[0].name }) else {
        let known = words.map(\.name).joined(separator: ", ")
        throw element.failure("needs exactly one of the members \(known)")
      }
      return try word.read(entries[0].reader)
    }
  }

  private static let general = [
    FlowWord("set") { reader throws(FlowFileError) in
      var members = try reader.members()
      var variables: [(name: String, value: FlowTemplate)] = []
      for (name, value) in members.rest() {
        reader.scope.variablesSet.insert(name)
        variables.append((name, try value.template()))
      }
      return FlowEffect { [variables] play in
        for (name, value) in variables { play.variables[name] = value.json(in: play) }
      }
    },
    list("require") { play, names throws(ErrorResponse) in
      for name in names where FlowPlay.value(name, in: play.answers).map({ $0 == "" || $0.isNull }) ?? true {
        throw .invalid(name, "must not be empty", code: "REQUIRED_VALUE")
      }
    },
    object("sendCode", ["to"], variables: ["variable"]) { play, values in
      let code = randomText(6, of: digits)
      play.variables[values["variable"] ?? ""] = .string(code)
      play.send(Message(kind: .flow, recipient: values["to"] ?? "", flow: play.flow.id, code: code))
    },
    text("suspend") { play, recipient in
      let id = randomText(43, of: tokenAlphabet)
      play.suspendedID = id
      play.send(Message(kind: .flow, recipient: recipient, flow: play.flow.id, suspendedID: id))
    },
    text("nextStep", isTrue: true) { play, _ in
      let rest = play.policy?.steps.dropFirst()
      play.policy?.steps = rest.map { Array($0) } ?? []
    },
  ]
}

/// The members of an effect in a play; an empty member counts as absent.
struct FlowValues {
  let texts: [String: String]

  subscript(_ name: String) -> String? { texts[name].flatMap { $0.isEmpty ? nil : $0 } }
}

// Syntactic forms of effects.
extension FlowEffects {
  /// An effect with an object: texts with values of the play, and names of variables that the effect sets.
  static func object(
    _ name: String,
    _ required: [String],
    optional: [String] = [],
    variables: [String] = [],
    _ apply: @escaping @EventLoop @Sendable (FlowPlay, FlowValues) throws(ErrorResponse) -> Void
  ) -> FlowWord<FlowEffect> {
    FlowWord(name) { reader throws(FlowFileError) in
      var members = try reader.members()
      var templates: [String: FlowTemplate] = [:]
      for name in required { templates[name] = try members.required(name).template() }
      for name in optional { templates[name] = try members.optional(name)?.template() }
      for name in variables {
        // In an effect without required members, the variable is optional.
        let member = required.isEmpty ? members.optional(name) : try members.required(name)
        if let member { templates[name] = FlowTemplate(.string(try member.variable())) }
      }
      try members.end()
      return FlowEffect { [templates] play throws(ErrorResponse) in
        try apply(play, FlowValues(texts: templates.mapValues { $0.text(in: play) }))
      }
    }
  }

  /// An effect with one text, which may contain values of the play, or with `isTrue` only the value true.
  static func text(
    _ name: String,
    isTrue: Bool = false,
    _ apply: @escaping @EventLoop @Sendable (FlowPlay, String) throws(ErrorResponse) -> Void
  ) -> FlowWord<FlowEffect> {
    FlowWord(name) { reader throws(FlowFileError) in
      if isTrue { try reader.true() }
      let value = try reader.template()
      return FlowEffect { play throws(ErrorResponse) in try apply(play, value.text(in: play)) }
    }
  }

  static func list(
    _ name: String,
    _ apply: @escaping @EventLoop @Sendable (FlowPlay, [String]) throws(ErrorResponse) -> Void
  ) -> FlowWord<FlowEffect> {
    FlowWord(name) { reader throws(FlowFileError) in
      let texts = try reader.texts()
      return FlowEffect { play throws(ErrorResponse) in try apply(play, texts) }
    }
  }
}
