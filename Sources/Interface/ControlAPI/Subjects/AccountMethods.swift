public import JSONRPC

public struct AccountList: ControlMethod {
  public static let name = "account.list"
  public static let access = AccessClass.read
  public static let summary = "lists the caller's accounts"
  public static let errors: [RPCError] = [.keyUnavailable]
  public static let parameters = Shape(AccountList.init)
  public static let envelope: Shape<[Account]>? = .member("accounts", "the caller's accounts")
  public static var example: Example<Self> { Example(AccountList(), [Samples.account]) }

  public init() {}
}

public struct AccountRename: ControlMethod {
  public static let name = "account.rename"
  public static let access = AccessClass.admin
  public static let summary = "sets an account's nickname, here and at its platform"
  public static let errors: [RPCError] = .platform + [.notFound, .policyRefuses, .accountLocked]
  public static let audit: AuditRule<Self>? = AuditRule(target: \.account)
  public static let parameters = Shape(
    AccountRename.init(account:nickname:),
    .required("account", \.account, as: .identifier, "the account"),
    .required("nickname", \.nickname, as: .text(maximum: 200), "the nickname")
  )
  public static var example: Example<Self> {
    Example(AccountRename(account: "a1", nickname: "desk"), Samples.account)
  }

  public typealias Result = Account

  public let account: String
  public let nickname: String

  public init(account: String, nickname: String) {
    (self.account, self.nickname) = (account, nickname)
  }
}

public struct AccountRemove: ControlMethod {
  public static let name = "account.remove"
  public static let access = AccessClass.admin
  public static let summary = "removes an account, here and at its platform or only here"
  public static let errors: [RPCError] = .platform + [.notFound, .policyRefuses]
  public static let audit: AuditRule<Self>? = AuditRule(target: \.account)
  public static let parameters = Shape(
    AccountRemove.init(account:isLocalOnly:),
    .required("account", \.account, as: .identifier, "the account"),
    .optional("localOnly", \.isLocalOnly, default: false, "true to remove it only here")
  )
  public static let envelope: Shape<Bool>? = .member(
    "remainsOnServer",
    "true if the platform still has the pairing"
  )
  public static var example: Example<Self> { Example(AccountRemove(account: "a1"), false) }

  public let account: String
  public let isLocalOnly: Bool

  public init(account: String, isLocalOnly: Bool = false) {
    (self.account, self.isLocalOnly) = (account, isLocalOnly)
  }
}

public struct AccountEnrol: ControlMethod {
  public static let name = "account.enrol"
  public static let access = AccessClass.admin
  public static let summary = "creates an account from an enrolment URI"
  public static let errors: [RPCError] = [
    .conflict, .quota, .keyUnavailable, .noConnectivity, .serverError, .tokenRejected, .policyRefuses,
    .originRefused,
  ]
  public static let audit: AuditRule<Self>? = AuditRule(made: \.id)
  public static let parameters = Shape(
    AccountEnrol.init(uri:),
    .required("uri", \.uri, as: .text(maximum: 8192), "an otpauth, pushauth or mfauth URI")
  )
  public static var example: Example<Self> {
    Example(AccountEnrol(uri: Samples.keyURI), Samples.oathAccount)
  }

  public typealias Result = Account

  public let uri: String

  public init(uri: String) { self.uri = uri }
}

public struct AccountImport: ControlMethod {
  public static let name = "account.import"
  public static let access = AccessClass.admin
  public static let summary = "imports another authenticator's export in one transaction"
  public static let errors: [RPCError] = [.keyUnavailable]
  public static let parameters = Shape(
    AccountImport.init(data:encoding:format:password:isDryRun:),
    .required("data", \.data, as: .text(maximum: longestData), "the export, at most 180 KiB"),
    .optional("encoding", \.encoding, default: .text, "the encoding of data"),
    .optional("format", \.format, default: .auto, "the format; auto: detected"),
    .optional(
      passwordParameter,
      \.password,
      as: .text(maximum: 1024),
      "the password of an encrypted export"
    ),
    .optional("dryRun", \.isDryRun, default: false, "true to import nothing and only return the result")
  )
  public static var example: Example<Self> {
    Example(
      AccountImport(data: Samples.keyURI, format: .uris),
      Result(accounts: [Samples.oathAccount], skipped: [])
    )
  }

  /// Maximum number of characters: the Base64 length of 180 KiB of data.
  ///
  /// A request with this much Base64 fits in one line (256 KiB).
  private static let longestData = 245_760

  /// The parameter for the password of an encrypted export; errors name it if the password is required.
  public static let passwordParameter = "password"

  public enum Encoding: String, ControlChoice {
    case text, base64
  }

  public enum Format: String, ControlChoice {
    case auto, uris, migration, aegis, andotp, bitwarden, freeotp
    case twoFAS = "2fas"
    case am
  }

  /// An entry that was not imported.
  public struct Skipped: ControlObject {
    public enum Reason: String, ControlChoice {
      case exists, unsupported, invalid, quota
      /// The configuration does not allow the account's server.
      case originRefused
    }

    public let index: Int
    public let issuer: String?
    public let label: String?
    public let reason: Open<Reason>
    public let message: String

    public init(index: Int, issuer: String?, label: String?, reason: Open<Reason>, message: String) {
      (self.index, self.issuer, self.label) = (index, issuer, label)
      (self.reason, self.message) = (reason, message)
    }

    public static let shape = Shape(
      Skipped.init(index:issuer:label:reason:message:),
      .required("index", \.index, "the index in the export, from 0"),
      .optional("issuer", \.issuer, "the issuer"),
      .optional("label", \.label, "the account name"),
      .required("reason", \.reason, "the reason for skipping it"),
      .required("message", \.message, "the reason in words, with the refused value")
    )
  }

  public struct Result: ControlObject {
    public let accounts: [Account]
    public let skipped: [Skipped]

    public init(accounts: [Account], skipped: [Skipped]) {
      (self.accounts, self.skipped) = (accounts, skipped)
    }

    public static let shape = Shape(
      Result.init(accounts:skipped:),
      .required("accounts", \.accounts, "the new accounts; with dryRun the ones to be created"),
      .required("skipped", \.skipped, "the entries that are not imported")
    )
  }

  public let data: String
  public let encoding: Encoding
  public let format: Format
  public let password: String?
  public let isDryRun: Bool

  public init(
    data: String,
    encoding: Encoding = .text,
    format: Format = .auto,
    password: String? = nil,
    isDryRun: Bool = false
  ) {
    (self.data, self.encoding, self.format) = (data, encoding, format)
    (self.password, self.isDryRun) = (password, isDryRun)
  }
}
