       01  PERF-REQUEST.
           03  LEN-TO-RETURN             PIC 9(8).
       01  PERF-RESPONSE.
           03  RESPONSE-LENGTH           PIC 9(8).
           03  RESPONSE-DATA             PIC X(256000).
       01  PERF-ERROR.
           03  ERROR-CODE                PIC S9(8) COMP.
           03  ERROR-TEXT                PIC X(80).
