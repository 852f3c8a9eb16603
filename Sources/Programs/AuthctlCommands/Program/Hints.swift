internal import JSON

extension Failure {
  /// What a person can do about it, if there is something.
  var hint: SafeText? {
    switch self {
    case .refused(let refusal): refusal.hint
    case .failed(let complaint): complaint.hint
    case .interrupted: nil
    }
  }

  /// What fits, where several do.
  var list: [SafeText] {
    switch self {
    case .refused(let refusal): AccountList.lines(refusal.details?["accounts"])
    case .failed(let complaint): complaint.list
    case .interrupted: []
    }
  }

  var message: SafeText {
    switch self {
    case .refused(let refusal): refusal.text
    case .failed(let complaint): complaint.message
    case .interrupted: "interrupted"
    }
  }
}

extension Refusal {
  fileprivate var text: SafeText {
    if code == Self.accountLocked, let lock = LockText.words(details) { return "\(message): \(lock)" }
    switch triesLeft {
    case nil: return "\(message)"
    case 0?:
      let lock = LockText.words(details?["lock"]).map { "; the account is locked \($0)" as SafeText } ?? ""
      return "\(message), and the request is denied now\(lock)"
    case let tries?: return "\(message) (\(tries) \(tries == 1 ? "try" : "tries") left)"
    }
  }

  fileprivate var hint: SafeText? {
    if code == 11006, let seconds = details?["retryAfter"]?.int { return "try again in \(seconds) s" }
    if code == Self.invalidParams, details?["parameter"] == "number" {
      return "this request wants no number: the one that you see belongs to another sign-on"
    }
    if code == Self.invalidParams, details?["parameter"] == "authenticationMethod" {
      return "a name of RFC 8176: user, fpt, face, hwk, otp, …; pin only where it was given for this"
    }
    if code == Self.accountLocked, details?["expiresAt"] == nil { return "an administrator can open it" }
    if code == Self.invalidParams, details?["parameter"] == "topics" {
      return "the topics are notification, pairing, authentication, account and service"
    }
    return Self.hints[code]
  }

  private static let hints: [Int: SafeText] = [
    -32601: "this daemon is older than this command",
    10003: "look at \"authctl status\" and at the daemon's journal",
    10004: "look at \"authctl status\"; passcodes work without the platform",
    10005: "a pairing key works once and not for long: ask for a new one",
    10008: "pair this machine with \"authctl login\" or \"authctl pair\"",
    10018: "choose the geography with \"authctl configure GEO\"",
    10019:
      "\"authctl status\" shows the chosen one; \"authctl reset\" erases it and everything else of yours",
    10024: "what the organization hears of this machine is shown by \"authctl status\"",
    11001: "this concerns the service as a whole: run it as root",
    11003: "look at \"authctl notifications --all\"",
    11007: "give it with --number; a request that shows none cannot be approved on this machine",
    11014: "it opens by itself; an administrator can open it sooner",
    11015: "set the clock, with \"timedatectl set-ntp true\" for example",
    11017: "\"authctl accounts\" lists all, with their names",
  ]
}
