internal import Configuration
internal import ControlClient

/// Checks that a server responds at an address.
enum AddressProbe {
  enum Outcome {
    case there
    case wrong(SafeText)
    case untried
  }

  static func ask(
    _ address: String,
    by configuration: Configuration,
    _ waiter: Waiter
  ) throws(Failure) -> Outcome {
    switch try ProbeRequest(url: address).send(by: configuration, waiter) {
    case .response("200", _): .there
    case .response(let status, _): .wrong("HTTP status \(status) instead of 200")
    case .failed(let problem): .wrong(problem)
    case .untried: .untried
    }
  }
}
