      * The transaction initiation message of a listener.
       01  TIM.
           05  TIM-SOCKET              PIC 9(8) BINARY.
           05  TIM-LISTENER            PIC X(8).
           05  TIM-SUBTASK             PIC X(8).
           05  TIM-CLIENT-DATA         PIC X(35).
           05  TIM-THREADSAFE          PIC X.
           05  TIM-CLIENT.
               10  TIM-FAMILY          PIC 9(4) BINARY.
               10  TIM-PORT            PIC 9(4) BINARY.
               10  TIM-ADDRESS         PIC 9(8) BINARY.
               10  FILLER              PIC X(8).
           05  FILLER                  PIC X(80).
           05  TIM-LENGTH              PIC 9(4) BINARY.
           05  TIM-DATA                PIC X(999).
       01  TIM-BYTES                   PIC S9(4) BINARY.
      * What EZASOKET needs.
       01  SOC-FUNCTION                PIC X(16).
       01  SOC-S                       PIC 9(4) BINARY.
       01  SOC-CLIENT.
           05  SOC-DOMAIN              PIC 9(8) BINARY.
           05  SOC-NAME                PIC X(8).
           05  SOC-TASK                PIC X(8).
           05  FILLER                  PIC X(20) VALUE LOW-VALUES.
       01  SOC-NBYTE                   PIC 9(8) BINARY.
       01  SOC-ERRNO                   PIC 9(8) BINARY.
       01  SOC-RETCODE                 PIC S9(8) BINARY.
       01  SOC-BUFFER                  PIC X(1000).
       01  SOC-ANSWER                  PIC X(1001).
