      * Adds a line: TELL-STEP, the responses of the last command,
      * TELL-DATA, which is blank again afterwards.
       TELL.
           ADD 1 TO TELL-COUNT
           MOVE EIBRESP TO TELL-RESP
           MOVE EIBRESP2 TO TELL-RESP2
           MOVE SPACES TO TOLD-LINE (TELL-COUNT)
           STRING TELL-STEP DELIMITED BY SIZE
                  TELL-RESP ' ' TELL-RESP2 ' ' DELIMITED BY SIZE
                  TELL-DATA DELIMITED BY SIZE
               INTO TOLD-LINE (TELL-COUNT)
           MOVE SPACES TO TELL-DATA.
