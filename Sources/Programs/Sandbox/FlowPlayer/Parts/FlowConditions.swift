import EventLoop

typealias FlowValue<Value> = @EventLoop @Sendable (FlowPlay) -> Value

/// The keywords of conditions; an object with several conditions holds if all of them hold.
enum FlowConditions {
  static let words: [FlowWord<FlowCondition>] =
    [
      oneOf("action") { $0.action }, oneOf("event") { $0.event },
      text("given") { _, value in !value.isEmpty }, texts("equals") { _, one, other in one == other },
      texts("sameUser") { _, one, other in one.lowercased() == other.lowercased() },
      FlowWord("shorter") { reader throws(FlowFileError) in
        let elements = try reader.elements(2)
        let (value, length) = (try elements[0].template(), try elements[1].int(0...1000))
        return FlowCondition { value.text(in: $0).count < length }
      },
      FlowWord("matches") { reader throws(FlowFileError) in
        let elements = try reader.elements(2)
        let (value, pattern) = (try elements[0].template(), try elements[1].text())
        guard (try? Regex(pattern)) != nil else { throw elements[1].failure("is not a regular expression") }
        return FlowCondition { play in
          let text = value.text(in: play)
          // A regular expression is not Sendable, so it is compiled for each use.
          return (try? Regex(pattern)).map { text.contains($0) } ?? false
        }
      },
      FlowWord("rounds") { reader throws(FlowFileError) in
        let count = try reader.int(1...10_000)
        return FlowCondition { $0.rounds >= count }
      }, text("userExists") { play, name in play.tenant.user(named: name) != nil },
      texts("passwordRight") { play, name, password in
        play.tenant.user(named: name, password: password) != nil
      }, flag("signedOn") { $0.user != nil }, flag("session") { $0.session != nil },
      flag("sessionEnded") { play in play.session.map { play.tenant.sessions[$0.id] == nil } ?? false },
      flag("browser") { $0.isInBrowser },
      flag("hasDevice") { play in play.user.map { !play.tenant.activeDevices(of: $0).isEmpty } ?? false },
      text("method") { play, method in play.methods.contains(method) },
      text("passcodeRight") { play, passcode in play.acceptsPasscode(passcode) },
      oneOf("authentication", of: DeviceAuthentication.Status.self, "a device authentication") { play in
        play.authentication.flatMap { play.tenant.current($0) }?.status
      },
      oneOf("pairing", of: IssuedPairingKey.Status.self, "a pairing key") { play in
        play.pairingKey.flatMap { play.tenant.pairingKeys[$0] }?.status
      },
    ] + factors + connectives

  /// Keywords that combine conditions.
  private static let connectives = [
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
        throw member.failure("is not a condition; the conditions are \(known)")
      }
      conditions.append(try word.read(member))
    }
    guard !conditions.isEmpty else { throw reader.failure("has no condition") }
    return conditions
  }
}

// Syntactic forms of conditions.
extension FlowConditions {
  private static func flag(_ name: String, _ value: @escaping FlowValue<Bool>) -> FlowWord<FlowCondition> {
    FlowWord(name) { reader throws(FlowFileError) in
      let wanted = try reader.bool()
      return FlowCondition { value($0) == wanted }
    }
  }

  /// A condition with one or several texts, one of which must equal the value.
  private static func oneOf(_ name: String, _ value: @escaping FlowValue<String>) -> FlowWord<FlowCondition> {
    FlowWord(name) { reader throws(FlowFileError) in
      let texts = try reader.texts()
      return FlowCondition { texts.contains(value($0)) }
    }
  }

  /// A condition with one or several statuses, by the platform's names.
  static func oneOf<Status: RawRepresentable<String> & SendableMetatype>(
    _ name: String,
    of type: Status.Type,
    _ owner: String,
    _ value: @escaping FlowValue<Status?>
  ) -> FlowWord<FlowCondition> {
    FlowWord(name) { reader throws(FlowFileError) in
      let texts = try reader.texts()
      for text in texts where Status(rawValue: text) == nil {
        throw reader.failure("\(text) is not a status of \(owner)")
      }
      return FlowCondition { play in value(play).map { texts.contains($0.rawValue) } ?? false }
    }
  }

  static func text(_ name: String, _ holds: @escaping @EventLoop @Sendable (FlowPlay, String) -> Bool)
    -> FlowWord<FlowCondition>
  {
    FlowWord(name) { reader throws(FlowFileError) in
      let value = try reader.template()
      return FlowCondition { holds($0, value.text(in: $0)) }
    }
  }

  private static func texts(
    _ name: String,
    _ holds: @escaping @EventLoop @Sendable (FlowPlay, String, String) -> Bool
  ) -> FlowWord<FlowCondition> {
    FlowWord(name) { reader throws(FlowFileError) in
      let elements = try reader.elements(2)
      let (one, other) = (try elements[0].template(), try elements[1].template())
      return FlowCondition { holds($0, one.text(in: $0), other.text(in: $0)) }
    }
  }
}
