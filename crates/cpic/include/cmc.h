/* CPI Communications (CPI-C) for C programs: link with -lcpic.
 *
 * Names, values and parameter order are those of the public CPI-C 1.2 and 2.0
 * definitions. Integers are 32 bits, passed by address. Character parameters
 * have fixed lengths unless a length goes with them; shorter ones are padded
 * with blanks, or end with a zero byte.
 *
 * The node is configured by the [appc] section of the TOML file that the
 * environment variable TUPELO_APPC names; symbolic destinations stand in its
 * table `side-information`.
 */
#ifndef CMC_H
#define CMC_H

#ifdef __cplusplus
extern "C" {
#endif

typedef int CM_INT32;

#define CM_CID_SIZE 8
#define CM_SDN_SIZE 8
#define CM_MN_SIZE 8
#define CM_PLN_SIZE 17
#define CM_TPN_SIZE 64
#define CM_LD_SIZE 512
#define CM_UID_SIZE 10

/* return_code */
#define CM_OK 0
#define CM_ALLOCATE_FAILURE_NO_RETRY 1
#define CM_ALLOCATE_FAILURE_RETRY 2
#define CM_CONVERSATION_TYPE_MISMATCH 3
#define CM_PIP_NOT_SPECIFIED_CORRECTLY 5
#define CM_SECURITY_NOT_VALID 6
#define CM_SYNC_LVL_NOT_SUPPORTED_SYS 7
#define CM_SYNC_LVL_NOT_SUPPORTED_LU 7
#define CM_SYNC_LVL_NOT_SUPPORTED_PGM 8
#define CM_TPN_NOT_RECOGNIZED 9
#define CM_TP_NOT_AVAILABLE_NO_RETRY 10
#define CM_TP_NOT_AVAILABLE_RETRY 11
#define CM_DEALLOCATED_ABEND 17
#define CM_DEALLOCATED_NORMAL 18
#define CM_PARAMETER_ERROR 19
#define CM_PRODUCT_SPECIFIC_ERROR 20
#define CM_PROGRAM_ERROR_NO_TRUNC 21
#define CM_PROGRAM_ERROR_PURGING 22
#define CM_PROGRAM_ERROR_TRUNC 23
#define CM_PROGRAM_PARAMETER_CHECK 24
#define CM_PROGRAM_STATE_CHECK 25
#define CM_RESOURCE_FAILURE_NO_RETRY 26
#define CM_RESOURCE_FAILURE_RETRY 27
#define CM_UNSUCCESSFUL 28
#define CM_DEALLOCATED_ABEND_SVC 30
#define CM_DEALLOCATED_ABEND_TIMER 31
#define CM_SVC_ERROR_NO_TRUNC 32
#define CM_SVC_ERROR_PURGING 33
#define CM_SVC_ERROR_TRUNC 34
#define CM_OPERATION_INCOMPLETE 35
#define CM_SYSTEM_EVENT 36
#define CM_OPERATION_NOT_ACCEPTED 37
#define CM_CONVERSATION_ENDING 38
#define CM_SEND_RCV_MODE_NOT_SUPPORTED 39
#define CM_BUFFER_TOO_SMALL 40
#define CM_EXP_DATA_NOT_SUPPORTED 41
#define CM_DEALLOC_CONFIRM_REJECT 42
#define CM_ALLOCATION_ERROR 43
#define CM_RETRY_LIMIT_EXCEEDED 44
#define CM_NO_SECONDARY_INFORMATION 45
#define CM_SECURITY_NOT_SUPPORTED 46
#define CM_SECURITY_MUTUAL_FAILED 47
#define CM_CALL_NOT_SUPPORTED 48
#define CM_PARM_VALUE_NOT_SUPPORTED 49

/* conversation_state */
#define CM_INITIALIZE_STATE 2
#define CM_SEND_STATE 3
#define CM_RECEIVE_STATE 4
#define CM_SEND_PENDING_STATE 5
#define CM_CONFIRM_STATE 6
#define CM_CONFIRM_SEND_STATE 7
#define CM_CONFIRM_DEALLOCATE_STATE 8
#define CM_INITIALIZE_INCOMING_STATE 14

/* conversation_type, sync_level, send_type, receive_type */
#define CM_BASIC_CONVERSATION 0
#define CM_MAPPED_CONVERSATION 1
#define CM_NONE 0
#define CM_CONFIRM 1
#define CM_BUFFER_DATA 0
#define CM_SEND_AND_FLUSH 1
#define CM_SEND_AND_CONFIRM 2
#define CM_SEND_AND_PREP_TO_RECEIVE 3
#define CM_SEND_AND_DEALLOCATE 4
#define CM_RECEIVE_AND_WAIT 0
#define CM_RECEIVE_IMMEDIATE 1

/* data_received, status_received, request_to_send_received */
#define CM_NO_DATA_RECEIVED 0
#define CM_DATA_RECEIVED 1
#define CM_COMPLETE_DATA_RECEIVED 2
#define CM_INCOMPLETE_DATA_RECEIVED 3
#define CM_NO_STATUS_RECEIVED 0
#define CM_SEND_RECEIVED 1
#define CM_CONFIRM_RECEIVED 2
#define CM_CONFIRM_SEND_RECEIVED 3
#define CM_CONFIRM_DEALLOC_RECEIVED 4
#define CM_REQ_TO_SEND_NOT_RECEIVED 0
#define CM_REQ_TO_SEND_RECEIVED 1

/* deallocate_type, prepare_to_receive_type, fill, error_direction, return_control */
#define CM_DEALLOCATE_SYNC_LEVEL 0
#define CM_DEALLOCATE_FLUSH 1
#define CM_DEALLOCATE_CONFIRM 2
#define CM_DEALLOCATE_ABEND 3
#define CM_PREP_TO_RECEIVE_SYNC_LEVEL 0
#define CM_PREP_TO_RECEIVE_FLUSH 1
#define CM_PREP_TO_RECEIVE_CONFIRM 2
#define CM_FILL_LL 0
#define CM_FILL_BUFFER 1
#define CM_RECEIVE_ERROR 0
#define CM_SEND_ERROR 1
#define CM_WHEN_SESSION_ALLOCATED 0
#define CM_IMMEDIATE 1

/* conversation_security_type */
#define CM_SECURITY_NONE 0
#define CM_SECURITY_SAME 1
#define CM_SECURITY_PROGRAM 2

/* Starter set */
void CMACCP(unsigned char *conversation_ID, CM_INT32 *return_code);
void CMALLC(unsigned char *conversation_ID, CM_INT32 *return_code);
void CMDEAL(unsigned char *conversation_ID, CM_INT32 *return_code);
void CMINIT(unsigned char *conversation_ID, unsigned char *sym_dest_name, CM_INT32 *return_code);
void CMRCV(unsigned char *conversation_ID, unsigned char *buffer, CM_INT32 *requested_length,
           CM_INT32 *data_received, CM_INT32 *received_length, CM_INT32 *status_received,
           CM_INT32 *request_to_send_received, CM_INT32 *return_code);
void CMSEND(unsigned char *conversation_ID, unsigned char *buffer, CM_INT32 *send_length,
            CM_INT32 *request_to_send_received, CM_INT32 *return_code);

/* A conversation that is initialized before it is accepted */
void CMINIC(unsigned char *conversation_ID, CM_INT32 *return_code);
void CMACCI(unsigned char *conversation_ID, CM_INT32 *return_code);

/* Advanced function: synchronisation and control */
void CMCANC(unsigned char *conversation_ID, CM_INT32 *return_code);
void CMCFM(unsigned char *conversation_ID, CM_INT32 *request_to_send_received, CM_INT32 *return_code);
void CMCFMD(unsigned char *conversation_ID, CM_INT32 *return_code);
void CMFLUS(unsigned char *conversation_ID, CM_INT32 *return_code);
void CMPTR(unsigned char *conversation_ID, CM_INT32 *return_code);
void CMRTS(unsigned char *conversation_ID, CM_INT32 *return_code);
void CMSERR(unsigned char *conversation_ID, CM_INT32 *request_to_send_received, CM_INT32 *return_code);
void CMTRTS(unsigned char *conversation_ID, CM_INT32 *request_to_send_received, CM_INT32 *return_code);

/* Advanced function: characteristics that are set */
void CMSCT(unsigned char *conversation_ID, CM_INT32 *conversation_type, CM_INT32 *return_code);
void CMSDT(unsigned char *conversation_ID, CM_INT32 *deallocate_type, CM_INT32 *return_code);
void CMSED(unsigned char *conversation_ID, CM_INT32 *error_direction, CM_INT32 *return_code);
void CMSF(unsigned char *conversation_ID, CM_INT32 *fill, CM_INT32 *return_code);
void CMSLD(unsigned char *conversation_ID, unsigned char *log_data, CM_INT32 *log_data_length, CM_INT32 *return_code);
void CMSMN(unsigned char *conversation_ID, unsigned char *mode_name, CM_INT32 *mode_name_length, CM_INT32 *return_code);
void CMSPLN(unsigned char *conversation_ID, unsigned char *partner_LU_name, CM_INT32 *partner_LU_name_length, CM_INT32 *return_code);
void CMSPTR(unsigned char *conversation_ID, CM_INT32 *prepare_to_receive_type, CM_INT32 *return_code);
void CMSRC(unsigned char *conversation_ID, CM_INT32 *return_control, CM_INT32 *return_code);
void CMSRT(unsigned char *conversation_ID, CM_INT32 *receive_type, CM_INT32 *return_code);
void CMSSL(unsigned char *conversation_ID, CM_INT32 *sync_level, CM_INT32 *return_code);
void CMSST(unsigned char *conversation_ID, CM_INT32 *send_type, CM_INT32 *return_code);
void CMSTPN(unsigned char *conversation_ID, unsigned char *TP_name, CM_INT32 *TP_name_length, CM_INT32 *return_code);
void CMSCST(unsigned char *conversation_ID, CM_INT32 *conversation_security_type, CM_INT32 *return_code);
void CMSCSU(unsigned char *conversation_ID, unsigned char *security_user_ID, CM_INT32 *security_user_ID_length, CM_INT32 *return_code);
void CMSCSP(unsigned char *conversation_ID, unsigned char *security_password, CM_INT32 *security_password_length, CM_INT32 *return_code);

/* Advanced function: characteristics that are extracted */
void CMECS(unsigned char *conversation_ID, CM_INT32 *conversation_state, CM_INT32 *return_code);
void CMECT(unsigned char *conversation_ID, CM_INT32 *conversation_type, CM_INT32 *return_code);
void CMEMN(unsigned char *conversation_ID, unsigned char *mode_name, CM_INT32 *mode_name_length, CM_INT32 *return_code);
void CMEPLN(unsigned char *conversation_ID, unsigned char *partner_LU_name, CM_INT32 *partner_LU_name_length, CM_INT32 *return_code);
void CMESL(unsigned char *conversation_ID, CM_INT32 *sync_level, CM_INT32 *return_code);
void CMESUI(unsigned char *conversation_ID, unsigned char *security_user_ID, CM_INT32 *security_user_ID_length, CM_INT32 *return_code);
void CMETPN(unsigned char *conversation_ID, unsigned char *TP_name, CM_INT32 *TP_name_length, CM_INT32 *return_code);

/* Advanced function: names that this program accepts, the largest buffer, and
 * EBCDIC (code page 037) to ASCII and back, in place */
void CMSLTP(unsigned char *TP_name, CM_INT32 *TP_name_length, CM_INT32 *return_code);
void CMRLTP(unsigned char *TP_name, CM_INT32 *TP_name_length, CM_INT32 *return_code);
void CMEMBS(CM_INT32 *maximum_buffer_size, CM_INT32 *return_code);
void CMCNVI(unsigned char *buffer, CM_INT32 *buffer_length, CM_INT32 *return_code);
void CMCNVO(unsigned char *buffer, CM_INT32 *buffer_length, CM_INT32 *return_code);

/* The long names of the standard */
#define cmacci CMACCI
#define cmaccp CMACCP
#define cmallc CMALLC
#define cmcanc CMCANC
#define cmcfm CMCFM
#define cmcfmd CMCFMD
#define cmcnvi CMCNVI
#define cmcnvo CMCNVO
#define cmdeal CMDEAL
#define cmecs CMECS
#define cmect CMECT
#define cmembs CMEMBS
#define cmemn CMEMN
#define cmepln CMEPLN
#define cmesl CMESL
#define cmesui CMESUI
#define cmetpn CMETPN
#define cmflus CMFLUS
#define cminic CMINIC
#define cminit CMINIT
#define cmptr CMPTR
#define cmrcv CMRCV
#define cmrltp CMRLTP
#define cmrts CMRTS
#define cmscsp CMSCSP
#define cmscst CMSCST
#define cmscsu CMSCSU
#define cmsct CMSCT
#define cmsdt CMSDT
#define cmsed CMSED
#define cmsend CMSEND
#define cmserr CMSERR
#define cmsf CMSF
#define cmsld CMSLD
#define cmsltp CMSLTP
#define cmsmn CMSMN
#define cmspln CMSPLN
#define cmsptr CMSPTR
#define cmsrc CMSRC
#define cmsrt CMSRT
#define cmssl CMSSL
#define cmsst CMSST
#define cmstpn CMSTPN
#define cmtrts CMTRTS

#ifdef __cplusplus
}
#endif
#endif
