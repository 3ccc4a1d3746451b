//! BAQRINFO, BAQHAREC and BAQHCONC: what a program passes to the API requester's
//! stub and host API, and what they return.
//!
//! Reference: z/OS Connect, "API requester: BAQRINFO copybook", "Understanding
//! the Host API". Pointers have eight bytes here, so the areas of the host API
//! are longer than on z/OS.

/// The areas that the stub receives and returns.
pub(super) const BAQRINFO: &str = r#"
       01  BAQ-REQUEST-INFO.
           03  BAQ-REQUEST-INFO-COMP-LEVEL  PIC S9(9) COMP-5 SYNC
                                            VALUE 1.
           03  BAQ-REQUEST-INFO-USER.
               05  BAQ-OAUTH.
                   07  BAQ-OAUTH-USERNAME       PIC X(256).
                   07  BAQ-OAUTH-USERNAME-LEN   PIC S9(9) COMP-5 SYNC
                                                VALUE 0.
                   07  BAQ-OAUTH-PASSWORD       PIC X(256).
                   07  BAQ-OAUTH-PASSWORD-LEN   PIC S9(9) COMP-5 SYNC
                                                VALUE 0.
                   07  BAQ-OAUTH-CLIENTID       PIC X(256).
                   07  BAQ-OAUTH-CLIENTID-LEN   PIC S9(9) COMP-5 SYNC
                                                VALUE 0.
                   07  BAQ-OAUTH-CLIENT-SECRET  PIC X(256).
                   07  BAQ-OAUTH-CLIENT-SECRET-LEN
                                                PIC S9(9) COMP-5 SYNC
                                                VALUE 0.
                   07  BAQ-OAUTH-SCOPE-PTR      POINTER.
                   07  BAQ-OAUTH-SCOPE-LEN      PIC S9(9) COMP-5 SYNC
                                                VALUE 0.
       01  BAQ-RESPONSE-INFO.
           03  BAQ-RESPONSE-INFO-COMP-LEVEL PIC S9(9) COMP-5 SYNC
                                            VALUE 0.
           03  BAQ-STUB-NAME                PIC X(8).
           03  BAQ-RETURN-CODE              PIC S9(9) COMP-5 SYNC.
               88  BAQ-SUCCESS              VALUE 0.
               88  BAQ-ERROR-IN-API         VALUE 1.
               88  BAQ-ERROR-IN-ZCEE        VALUE 2.
               88  BAQ-ERROR-IN-STUB        VALUE 3.
               88  BAQ-ERROR-NO-RESPONSE    VALUE 4.
           03  BAQ-STATUS-CODE              PIC S9(9) COMP-5 SYNC.
           03  BAQ-STATUS-MESSAGE           PIC X(1024).
           03  BAQ-STATUS-MESSAGE-LEN       PIC S9(9) COMP-5 SYNC.
"#;

/// The areas of the host API.
pub(super) const BAQHAREC: &str = r#"
       01  BAQ-ZCONNECT-AREA.
           03  BAQ-ZCON-AREA-EYE       PIC X(4) VALUE 'BAQZ'.
           03  BAQ-ZCON-AREA-LENGTH    PIC 9(8) COMP-5
                                      VALUE 4904.
           03  BAQ-ZCON-AREA-VERSION   PIC 9(8) COMP-5 VALUE 1.
           03  BAQ-ZCON-RESERVED-01    PIC 9(8) COMP-5 VALUE 0.
           03  BAQ-ZCON-PARM-INIT          VALUE LOW-VALUES.
               05  BAQ-ZCON-RESERVED-02    PIC X(3840).
           03  BAQ-ZCON-PARAMETERS
                              REDEFINES BAQ-ZCON-PARM-INIT.
               05  BAQ-ZCON-PARMS          OCCURS 64.
                   07  BAQ-ZCON-PARM-NAME     PIC X(48).
                   07  BAQ-ZCON-PARM-ADDRESS  POINTER.
                   07  BAQ-ZCON-PARM-LENGTH   PIC 9(9) COMP.
           03  BAQ-ZCON-RETURN-CODES.
               05  BAQ-ZCON-COMPLETION-CODE  PIC 9(8) COMP-5
                                             VALUE 0.
                   88  BAQ-SUCCESS           VALUE 0.
                   88  BAQ-WARNING           VALUE 4.
                   88  BAQ-ERROR             VALUE 8.
                   88  BAQ-SEVERE            VALUE 12.
                   88  BAQ-CRITICAL          VALUE 16.
               05  BAQ-ZCON-REASON-CODE      PIC 9(8) COMP-5
                                             VALUE 0.
               05  BAQ-ZCON-SERVICE-ID       PIC 9(8) COMP-5
                                             VALUE 0.
               05  BAQ-ZCON-SERVICE-CODE     PIC 9(8) COMP-5
                                             VALUE 0.
               05  BAQ-ZCON-RESERVED-03      PIC 9(8) COMP-5
                                             VALUE 0.
           03  BAQ-ZCON-RETURN-MESSAGE-LEN   PIC 9(8) COMP-5
                                             VALUE 0.
           03  BAQ-ZCON-RETURN-MESSAGE       PIC X(1024).
       01  BAQ-REQUEST-AREA.
           03  BAQ-REQ-AREA-EYE       PIC X(4) VALUE 'BAQR'.
           03  BAQ-REQ-AREA-LENGTH    PIC 9(8) COMP-5
                                      VALUE 3868.
           03  BAQ-REQ-AREA-VERSION   PIC 9(8) COMP-5 VALUE 1.
           03  BAQ-REQ-RESERVED-01    PIC 9(8) COMP-5 VALUE 0.
           03  BAQ-REQ-BASE-ADDRESS   POINTER.
           03  BAQ-REQ-BASE-LENGTH    PIC 9(8) COMP.
           03  BAQ-REQ-PARM-INIT          VALUE LOW-VALUES.
               05  BAQ-REQ-RESERVED-02    PIC X(3840).
           03  BAQ-REQ-PARAMETERS
                              REDEFINES BAQ-REQ-PARM-INIT.
               05  BAQ-REQ-PARMS          OCCURS 64.
                   07  BAQ-REQ-PARM-NAME     PIC X(48).
                   07  BAQ-REQ-PARM-ADDRESS  POINTER.
                   07  BAQ-REQ-PARM-LENGTH   PIC 9(9) COMP.
       01  BAQ-RESPONSE-AREA.
           03  BAQ-RESP-AREA-EYE       PIC X(4) VALUE 'BAQP'.
           03  BAQ-RESP-AREA-LENGTH    PIC 9(8) COMP-5
                                      VALUE 1064.
           03  BAQ-RESP-AREA-VERSION   PIC 9(8) COMP-5 VALUE 1.
           03  BAQ-RESP-RESERVED-01    PIC 9(8) COMP-5 VALUE 0.
           03  BAQ-RESP-BASE-ADDRESS  POINTER.
           03  BAQ-RESP-BASE-LENGTH   PIC 9(8) COMP-5 VALUE 0.
           03  BAQ-RESP-RESERVED-02   PIC 9(8) COMP-5 VALUE 0.
           03  BAQ-RESP-STATUS-CODE   PIC 9(8) COMP-5 VALUE 0.
           03  BAQ-RESP-STATUS-MESSAGE-LEN
                                      PIC 9(8) COMP-5 VALUE 0.
           03  BAQ-RESP-STATUS-MESSAGE PIC X(1024).
"#;

/// Names of its verbs and parameters.
pub(super) const BAQHCONC: &str = r#"
       77  BAQ-INIT-NAME                PIC X(8) VALUE 'BAQINIT'.
       77  BAQ-EXEC-NAME                PIC X(8) VALUE 'BAQEXEC'.
       77  BAQ-GETN-NAME                PIC X(8) VALUE 'BAQGETN'.
       77  BAQ-PUTN-NAME                PIC X(8) VALUE 'BAQPUTN'.
       77  BAQ-FREE-NAME                PIC X(8) VALUE 'BAQFREE'.
       77  BAQ-TERM-NAME                PIC X(8) VALUE 'BAQTERM'.
       77  BAQR-OAUTH-USERNAME         PIC X(22)
           VALUE 'BAQHAPI-oAuth-Username'.
       77  BAQR-OAUTH-PASSWORD         PIC X(22)
           VALUE 'BAQHAPI-oAuth-Password'.
       77  BAQR-OAUTH-SCOPE            PIC X(19)
           VALUE 'BAQHAPI-oAuth-Scope'.
       77  BAQR-OAUTH-CLIENT-ID        PIC X(22)
           VALUE 'BAQHAPI-oAuth-ClientId'.
       77  BAQR-OAUTH-CLIENT-SECRET    PIC X(26)
           VALUE 'BAQHAPI-oAuth-ClientSecret'.
       77  BAQR-OAUTH-RESOURCE         PIC X(22)
           VALUE 'BAQHAPI-oAuth-Resource'.
       77  BAQR-OAUTH-AUDIENCE         PIC X(22)
           VALUE 'BAQHAPI-oAuth-Audience'.
       77  BAQR-OAUTH-CUSTOM-PARMS     PIC X(25)
           VALUE 'BAQHAPI-oAuth-CustomParms'.
       77  BAQR-TOKEN-USERNAME         PIC X(22)
           VALUE 'BAQHAPI-Token-Username'.
       77  BAQR-TOKEN-PASSWORD         PIC X(22)
           VALUE 'BAQHAPI-Token-Password'.
       77  BAQR-TOKEN-CUSTOM-PARMS     PIC X(25)
           VALUE 'BAQHAPI-Token-CustomParms'.
       77  BAQR-TOKEN-CUSTOM-HEADERS   PIC X(27)
           VALUE 'BAQHAPI-Token-CustomHeaders'.
       77  BAQR-POLICY-SELECTION       PIC X(24)
           VALUE 'BAQHAPI-Policy-Selection'.
       77  BAQR-JWT-USERNAME           PIC X(22)
           VALUE 'BAQHAPI-Token-Username'.
       77  BAQR-JWT-PASSWORD           PIC X(22)
           VALUE 'BAQHAPI-Token-Password'.
       77  BAQZ-TRACE-VERBOSE          PIC X(21)
           VALUE 'BAQHAPI-Trace-Verbose'.
       77  BAQZ-SERVER-URIMAP          PIC X(21)
           VALUE 'BAQHAPI-Server-URIMAP'.
       77  BAQZ-SERVER-HOST            PIC X(19)
           VALUE 'BAQHAPI-Server-Host'.
       77  BAQZ-SERVER-PORT            PIC X(19)
           VALUE 'BAQHAPI-Server-Port'.
       77  BAQZ-SERVER-TIMEOUT         PIC X(22)
           VALUE 'BAQHAPI-Server-Timeout'.
       77  BAQZ-SERVER-USERNAME        PIC X(23)
           VALUE 'BAQHAPI-Server-Username'.
       77  BAQZ-SERVER-PASSWORD        PIC X(23)
           VALUE 'BAQHAPI-Server-Password'.
       77  BAQZ-TRACE-LEVEL-OFF        PIC X(3)
           VALUE 'OFF'.
       77  BAQZ-TRACE-LEVEL-ON         PIC X(2)
           VALUE 'ON'.
       77  BAQZ-TRACE-LEVEL-ERROR      PIC X(5)
           VALUE 'ERROR'.
       77  BAQZ-TRACE-LEVEL-AUDIT      PIC X(5)
           VALUE 'AUDIT'.
       77  BAQZ-TRACE-LEVEL-ALL        PIC X(3)
           VALUE 'ALL'.
"#;
