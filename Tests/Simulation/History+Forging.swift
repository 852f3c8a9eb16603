internal import EventLoop
internal import JSON

extension History {
  /// Somebody who is not the platform makes a push, or changes one; whoever takes it is deceived.
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

/// What is wrong with a push that is not the platform's, or not for this device.
enum Forgery: CaseIterable {
  case anotherKey, anotherDevice, anotherIssuer, anotherType, pastTime, anotherUser, changedText
}
