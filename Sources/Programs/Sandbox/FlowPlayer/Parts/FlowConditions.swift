import EventLoop
import JSON

/// The words for conditions; an object of several holds when all hold.
enum FlowConditions {
  static let words: [FlowWord<FlowCondition>] = [
    FlowWord("action") { reader throws(FlowFileError) in
      let names = try reader.texts()
      return FlowCondition { names.contains($0.action) }
    },
    FlowWord("event") { reader throws(FlowFileError) in
      let names = try reader.texts()
      return FlowCondition { names.contains($0.event) }
    },
    FlowWord("given") { reader throws(FlowFileError) in
      let value = try reader.template()
      return FlowCondition { !value.text(in: $0).isEmpty }
    },
    FlowWord("equals") { reader throws(FlowFileError) in
      let (one, other) = try pair(reader)
      return FlowCondition { one.text(in: $0) == other.text(in: $0) }
    },
    FlowWord("shorter") { reader throws(FlowFileError) in
      let elements = try reader.elements(2)
      let (value, length) = (try elements[0].template(), try elements[1].int(0...1000))
      return FlowCondition { value.text(in: $0).count < length }
    },
    FlowWord("matches") { reader throws(FlowFileError) in
      let elements = try reader.elements(2)
      let (value, pattern) = (try elements[0].template(), try elements[1].text())
      guard (try? Regex(pattern)) != nil else { throw elements[1].failure("is no regular expression") }
      return FlowCondition { play in
        let text = value.text(in: play)
        // An expression is not Sendable, so that it is made anew.
        return (try? Regex(pattern)).map { text.contains($0) } ?? false
      }
    },
    FlowWord("rounds") { reader throws(FlowFileError) in
      let count = try reader.int(1...10_000)
      return FlowCondition { $0.rounds >= count }
    },
    FlowWord("userExists") { reader throws(FlowFileError) in
      let name = try reader.template()
      return FlowCondition { $0.tenant.user(named: name.text(in: $0)) != nil }
    },
    FlowWord("passwordRight") { reader throws(FlowFileError) in
      let (name, password) = try pair(reader)
      return FlowCondition {
        $0.tenant.user(named: name.text(in: $0), password: password.text(in: $0)) != nil
      }
    },
    FlowWord("signedOn") { reader throws(FlowFileError) in
      let wanted = try reader.bool()
      return FlowCondition { ($0.user != nil) == wanted }
    },
    FlowWord("session") { reader throws(FlowFileError) in
      let wanted = try reader.bool()
      return FlowCondition { ($0.session != nil) == wanted }
    },
    FlowWord("hasDevice") { reader throws(FlowFileError) in
      let wanted = try reader.bool()
      return FlowCondition { play in
        (play.user.map { !play.tenant.activeDevices(of: $0).isEmpty } ?? false) == wanted
      }
    },
    FlowWord("passcodeRight") { reader throws(FlowFileError) in
      let passcode = try reader.template()
      return FlowCondition { $0.acceptsPasscode(passcode.text(in: $0)) }
    },
    FlowWord("authentication") { reader throws(FlowFileError) in
      let states = try reader.texts()
      for state in states where DeviceAuthentication.Status(rawValue: state) == nil {
        throw reader.failure("\(state) is no status of a device authentication")
      }
      return FlowCondition { play in
        let status = play.authentication.flatMap { play.tenant.current($0) }?.status
        return status.map { states.contains($0.rawValue) } ?? false
      }
    },
    FlowWord("pairing") { reader throws(FlowFileError) in
      let states = try reader.texts()
      for state in states where PairingKey.Status(rawValue: state) == nil {
        throw reader.failure("\(state) is no status of a pairing key")
      }
      return FlowCondition { play in
        let status = play.pairingKey.flatMap { play.tenant.pairingKeys[$0] }?.status
        return status.map { states.contains($0.rawValue) } ?? false
      }
    },
    FlowWord("not") { reader throws(FlowFileError) in
      let conditions = try read(reader)
      return FlowCondition { play in !conditions.allSatisfy { $0.holds(play) } }
    },
    FlowWord("any") { reader throws(FlowFileError) in
      let choices = try reader.elements().map { element throws(FlowFileError) in try read(element) }
      return FlowCondition { play in choices.contains { $0.allSatisfy { $0.holds(play) } } }
    },
    FlowWord("all") { reader throws(FlowFileError) in
      let parts = try reader.elements().map { element throws(FlowFileError) in try read(element) }
      return FlowCondition { play in parts.allSatisfy { $0.allSatisfy { $0.holds(play) } } }
    },
  ]

  static func read(_ reader: FlowReader) throws(FlowFileError) -> [FlowCondition] {
    var members = try reader.members()
    var conditions: [FlowCondition] = []
    for (name, member) in members.rest() {
      guard let word = words.first(where: { $0.name == name }) else {
        let known = words.map(\.name).joined(separator: ", ")
        throw member.failure("is no condition; there are \(known)")
      }
      conditions.append(try word.read(member))
    }
    guard !conditions.isEmpty else { throw reader.failure("has no condition") }
    return conditions
  }

  private static func pair(_ reader: FlowReader) throws(FlowFileError) -> (FlowTemplate, FlowTemplate) {
    let elements = try reader.elements(2)
    return (try elements[0].template(), try elements[1].template())
  }
}

extension FlowPlay {
  /// Whether a passcode is right: of the device that the user has chosen, or else of the user's first.
  fileprivate func acceptsPasscode(_ passcode: String) -> Bool {
    let attempt = authentication.flatMap { tenant.current($0) }
    let chosen = attempt?.selected.flatMap { tenant.devices[$0] }
    guard let device = chosen ?? user.flatMap({ tenant.activeDevices(of: $0).first }),
      (try? tenant.checkPasscode(passcode, of: device)) != nil
    else { return false }
    if let attempt, !attempt.isOver {
      if let push = attempt.notification { tenant.withdraw(push, by: .passcode) }
      _ = tenant.finish(attempt, .completed)
    }
    return true
  }
}
