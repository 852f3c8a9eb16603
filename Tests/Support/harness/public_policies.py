"""What PingOne's public Go client says of policies for the authentication by devices."""

from .public_models import FLAG, INSTANT, NUMBER, REFERENCE, RESOURCE, TEXT, duration, many, model, one_of

SHORT = duration("MINUTES", "SECONDS")
FAILURE = model({"count": NUMBER, "coolDown": SHORT})
NICKNAME = {"promptForNicknameOnPairing": FLAG, "pairingDisabled": FLAG}
BY_MESSAGE = model(
    {"enabled": FLAG, "otp": model({"lifeTime": SHORT, "failure": FAILURE}, otpLength=NUMBER)}, **NICKNAME
)
SWITCH = model({"enabled": FLAG})

POLICY_APPLICATION = model(
    {"id": TEXT},
    type=one_of("pingIdAppConfig"),
    push=model({"enabled": FLAG}, numberMatching=SWITCH),
    pushTimeout=duration("SECONDS"),
    pairingKeyLifetime=duration("MINUTES", "HOURS"),
    pushLimit=model({}, count=NUMBER, lockDuration=SHORT, timePeriod=SHORT),
    otp=SWITCH,
    deviceAuthorization=model({"enabled": FLAG}, extraVerification=one_of("permissive", "restrictive")),
    autoEnrollment=SWITCH,
    biometricsEnabled=FLAG,
    pairingDisabled=FLAG,
    integrityDetection=one_of("permissive", "restrictive"),
)

POLICY = model(
    {
        **RESOURCE,
        "name": TEXT,
        "sms": BY_MESSAGE,
        "voice": BY_MESSAGE,
        "email": BY_MESSAGE,
        "mobile": model(
            {"enabled": FLAG, "otp": model({"failure": FAILURE}, window=model({"stepSize": SHORT}))},
            applications=many(POLICY_APPLICATION),
            promptForNicknameOnPairing=FLAG,
        ),
        "totp": model(
            {"enabled": FLAG, "otp": model({"failure": FAILURE})},
            passcodeGracePeriod=NUMBER,
            uriParameters={"type": "object", "additionalProperties": TEXT},
            **NICKNAME,
        ),
        "default": FLAG,
        "forSignOnPolicy": FLAG,
    },
    environment=REFERENCE,
    newDeviceNotification=one_of("NONE", "EMAIL_THEN_SMS", "SMS_THEN_EMAIL"),
    authentication=model(
        {"deviceSelection": one_of("DEFAULT_TO_FIRST", "PROMPT_TO_SELECT", "ALWAYS_DISPLAY_DEVICES")}
    ),
    fido2=model({"enabled": FLAG}, failure=FAILURE, fido2PolicyId=TEXT, **NICKNAME),
    ignoreUserLock=FLAG,
    notificationsPolicy=REFERENCE,
    rememberMe=model({"web": model({"enabled": FLAG, "lifeTime": duration("MINUTES", "HOURS", "DAYS")})}),
    whatsApp=BY_MESSAGE,
    updatedAt=INSTANT,
)
