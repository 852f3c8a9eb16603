import EventLoop
import JSON

/// The words for effects; each is an object with one member.
enum FlowEffects {
  static let words: [FlowWord<FlowEffect>] = [
    FlowWord("set") { reader throws(FlowFileError) in
      var members = try reader.members()
      var variables: [(name: String, value: FlowTemplate)] = []
      for (name, value) in members.rest() {
        reader.scope.set(variable: name)
        variables.append((name, try value.template()))
      }
      return FlowEffect { play in
        for (name, value) in variables { play.variables[name] = value.json(in: play) }
      }
    },
    FlowWord("createUser") { reader throws(FlowFileError) in
      var members = try reader.members()
      let username = try members.required("username").template()
      let others = try ["password", "email", "given", "family"].map { name throws(FlowFileError) in
        try members.optional(name)?.template()
      }
      try members.end()
      return FlowEffect { play throws(PingOneError) in
        let texts = others.map { $0?.text(in: play) }.map { $0?.isEmpty == false ? $0 : nil }
        try play.tenant.createUser(
          username.text(in: play),
          password: texts[0],
          email: texts[1],
          given: texts[2],
          family: texts[3]
        )
      }
    },
    FlowWord("setPassword") { reader throws(FlowFileError) in
      var members = try reader.members()
      let (username, password) = (
        try members.required("username").template(), try members.required("password").template()
      )
      try members.end()
      return FlowEffect { play throws(PingOneError) in
        guard let user = play.tenant.user(named: username.text(in: play)) else {
          throw .invalid("username", "There is no such user")
        }
        play.tenant.users.put(user.with(password: password.text(in: play)))
      }
    },
    FlowWord("signOn") { reader throws(FlowFileError) in
      let username = try reader.template()
      return FlowEffect { play throws(PingOneError) in
        guard let user = play.tenant.user(named: username.text(in: play)) else {
          throw .invalid("username", "There is no such user")
        }
        play.user = user.id
        play.signedOnAt = play.tenant.clock.now
      }
    },
    FlowWord("resumeSession") { reader throws(FlowFileError) in
      guard try reader.bool() else { throw reader.failure("must be true") }
      return FlowEffect { play throws(PingOneError) in
        guard let session = play.session else { throw .invalidRequest("There is no session.") }
        play.user = session.user
        play.signedOnAt = session.signedOnAt
      }
    },
    FlowWord("makePairingKey") { reader throws(FlowFileError) in
      let variable = try reader.variable()
      return FlowEffect { play throws(PingOneError) in
        let user = try play.signedOnUser()
        let key = play.tenant.makePairingKey(
          for: user.id,
          applications: [play.tenant.application.id],
          policy: play.tenant.policy,
          geography: .northAmerica
        )
        play.pairingKey = key.id
        play.variables[variable] = .string(key.code)
      }
    },
    FlowWord("authenticate") { reader throws(FlowFileError) in
      var members = try reader.members()
      let device = try members.optional("device")?.template()
      let challenge = try members.optional("challenge")?.variable()
      let title = try members.optional("title")?.template()
      try members.end()
      return FlowEffect { play throws(PingOneError) in
        try play.authenticate(device: device?.text(in: play), title: title?.text(in: play))
        if let challenge { play.variables[challenge] = .string(randomText(32, of: tokenAlphabet)) }
      }
    },
    FlowWord("sendCode") { reader throws(FlowFileError) in
      var members = try reader.members()
      let recipient = try members.required("to").template()
      let variable = try members.required("variable").variable()
      try members.end()
      return FlowEffect { play in
        let code = randomText(6, of: digits)
        play.variables[variable] = .string(code)
        play.send(
          Message(kind: .flow, recipient: recipient.text(in: play), flow: play.flow.id, code: code)
        )
      }
    },
    FlowWord("suspend") { reader throws(FlowFileError) in
      let recipient = try reader.template()
      return FlowEffect { play in
        let id = randomText(43, of: tokenAlphabet)
        play.suspendedID = id
        play.send(
          Message(kind: .flow, recipient: recipient.text(in: play), flow: play.flow.id, suspendedID: id)
        )
      }
    },
  ]

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
}
