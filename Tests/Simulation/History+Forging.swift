internal import EventLoop
internal import JSON

extension History {
  /// An attacker forges or changes a push.
  ///
  /// The daemon must reject it.
  func forge(_ index: Int, _ push: Platform.Push) {
    let person = people[index]
    guard let device = person.device, let user = person.user else { return }
    let forgery = Forgery.allCases[world.number(0...Forgery.allCases.count - 1)]
    let text = platform.forged(forgery, of: push, to: device, user, of: person.owner)
    act(index) { [self] client in
      world.note("\(client.owner): is brought a push with \(forgery)")
      guard let text else { return world.violate("a push cannot be forged") }
      let outcome = await client.ask("notification.process", ["payload": .string(text)])
      if case .result(let result) = outcome {
        world.violate("a push with \(forgery) is taken: \(result.brief)")
      }
    }
  }
}

/// The fault of a push that is not from the platform, or not for this device.
enum Forgery: CaseIterable {
  case anotherKey, anotherDevice, anotherIssuer, anotherType, pastTime, anotherUser, changedText
}
