      * What the calls of EZASOKET need, and working storage of TELLSOC.
       01  TELL-COUNT                  PIC S9(4) COMP VALUE 0.
       01  TELL-STEP                   PIC X(24).
       01  TELL-DATA                   PIC X(36).
       01  TELL-RETCODE                PIC -(5)9.
       01  TELL-ERRNO                  PIC Z(5)9.
       01  F                           PIC X(16).
       01  ERRNO                       PIC 9(8) BINARY.
       01  RETCODE                     PIC S9(8) BINARY.
       01  MAXSOC                      PIC 9(4) BINARY VALUE 50.
       01  MAXSNO                      PIC 9(8) BINARY.
       01  IDENT.
           05  TCPNAME                 PIC X(8) VALUE 'TCPIP'.
           05  ADSNAME                 PIC X(8) VALUE SPACES.
       01  SUBTASK                     PIC X(8) VALUE SPACES.
       01  AF-INET                     PIC 9(8) BINARY VALUE 2.
       01  STREAM                      PIC 9(8) BINARY VALUE 1.
       01  DGRAM                       PIC 9(8) BINARY VALUE 2.
       01  PROTO                       PIC 9(8) BINARY VALUE 0.
       01  LSTN-S                      PIC 9(4) BINARY.
       01  CLNT-S                      PIC 9(4) BINARY.
       01  SRVR-S                      PIC 9(4) BINARY.
       01  S                           PIC 9(4) BINARY.
       01  BACKLOG                     PIC 9(8) BINARY VALUE 5.
       01  SOC-NAME.
           05  NAME-FAMILY             PIC 9(4) BINARY VALUE 2.
           05  NAME-PORT               PIC 9(4) BINARY VALUE 0.
           05  NAME-ADDRESS            PIC 9(8) BINARY VALUE 0.
           05  FILLER                  PIC X(8) VALUE LOW-VALUES.
       01  PEER-NAME.
           05  PEER-FAMILY             PIC 9(4) BINARY VALUE 0.
           05  PEER-PORT               PIC 9(4) BINARY VALUE 0.
           05  PEER-ADDRESS            PIC X(4).
           05  FILLER                  PIC X(8) VALUE LOW-VALUES.
       01  SOC-FLAGS                   PIC 9(8) BINARY VALUE 0.
       01  NBYTE                       PIC 9(8) BINARY.
       01  BUF                         PIC X(40).
       01  HOW                         PIC 9(8) BINARY.
